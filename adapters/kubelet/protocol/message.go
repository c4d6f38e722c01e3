// Package protocol speaks version 1 of the driver protocol and runs each world in a
// bubble of testing/synctest, so that the kubelet's own tickers and time limits run in
// virtual time. docs/reference/driver-protocol.md says what the messages mean.
package protocol

import (
	"encoding/json"
	"fmt"
	"syscall"
)

// Version is the version of the protocol.
const Version = 1

const (
	codeNotAMessage   = -32700
	codeUnknownMethod = -32601
	codeBadParams     = -32602
	codeRefused       = 1
	codeCrashed       = 2
	codeOS            = 3
	codeSpins         = 4
)

type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is an error as the wire carries it.
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    map[string]any `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Refused is the error for a manifest or setting that can't be used; parsed tells
// whether it was a pod, or a list of pods, at all.
func Refused(reason string, parsed bool) *Error {
	data := map[string]any{"reason": reason, "parsed": parsed}
	return &Error{Code: codeRefused, Message: reason, Data: data}
}

// BadParams is the error for params that don't fit.
func BadParams(format string, args ...any) *Error {
	return &Error{Code: codeBadParams, Message: fmt.Sprintf(format, args...)}
}

// Unknown is the error for a method or a component that isn't offered.
func Unknown(format string, args ...any) *Error {
	return &Error{Code: codeUnknownMethod, Message: fmt.Sprintf(format, args...)}
}

func crashed(what any, trace string) *Error {
	text := fmt.Sprint(what)
	data := map[string]any{"error": text, "trace": trace}
	return &Error{Code: codeCrashed, Message: text, Data: data}
}

// osError is the system's error that the suite answered with.
func (e *Error) osError() error {
	number, ok := e.Data["errno"].(float64)
	if e.Code != codeOS || !ok {
		return e
	}
	return syscall.Errno(number)
}

// Config is what a factory is told; each reads what concerns it.
type Config struct {
	Kubelet        string          `json:"kubelet"`
	NodeName       string          `json:"node_name"`
	Path           string          `json:"path"`
	PeriodNS       int64           `json:"period_ns"`
	URL            string          `json:"url"`
	Headers        [][2]string     `json:"headers"`
	Sources        []string        `json:"sources"`
	Mode           string          `json:"mode"`
	InitialNS      int64           `json:"initial_ns"`
	MaxNS          int64           `json:"max_ns"`
	JitterFactor   float64         `json:"jitter_factor"`
	ExpiresAfterNS *int64          `json:"expires_after_ns"`
	SyncPeriodNS   int64           `json:"sync_period_ns"`
	Gates          map[string]bool `json:"gates"`
}

// Decode reads params or arguments into a T.
func Decode[T any](params json.RawMessage) (T, error) {
	var value T
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	if err := json.Unmarshal(params, &value); err != nil {
		return value, BadParams("%v", err)
	}
	return value, nil
}
