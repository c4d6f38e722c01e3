package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Apiserver is the network that the apiserver is on. It serves pods as JSON: lists,
// watches, and watches that begin with what is there.
func (w *World) Apiserver() http.RoundTripper { return apiserver{w} }

type apiserver struct{ world *World }

func (a apiserver) RoundTrip(r *http.Request) (*http.Response, error) {
	query := r.URL.Query()
	selector := query.Get("fieldSelector")
	watches := query.Get("watch") == "true" || query.Get("watch") == "1"
	params := map[string]any{"selector": selector, "resource_version": query.Get("resourceVersion")}
	if watches || strings.Contains(r.URL.Path, "/watch/") {
		params["initial"] = query.Get("sendInitialEvents") == "true"
		return a.watch(r, params)
	}
	return a.list(r, params)
}

func (a apiserver) list(r *http.Request, params map[string]any) (*http.Response, error) {
	answer, err := a.world.question(r.Context(), "env/list_pods", params)
	switch {
	case err != nil:
		return nil, err
	case answer.Error == nil:
		body := typed(answer.List, "PodList")
		return response(r, http.StatusOK, io.NopCloser(bytes.NewReader(body))), nil
	}
	return answer.Error.answer(r)
}

// watch opens a watch. The suite says at once, if at all, that it can't be opened, so an
// answer waits for the next instant or the first word, whichever comes first.
func (a apiserver) watch(r *http.Request, params map[string]any) (*http.Response, error) {
	queue := newQueue()
	id := a.world.open("env/watch_pods", params, queue.put)
	first, cancel := context.WithTimeout(r.Context(), a.world.soon())
	defer cancel()
	told, heard := queue.take(first)
	if !heard {
		return response(r, http.StatusOK, a.world.stream(r.Context(), id, queue)), nil
	}
	if answer, err := Decode[answer](told); err == nil && answer.Error != nil {
		a.world.forget(id)
		return answer.Error.answer(r)
	}
	queue.putBack(told)
	return response(r, http.StatusOK, a.world.stream(r.Context(), id, queue)), nil
}

// answer is what a client meets: a status, or a broken connection.
func (f failure) answer(r *http.Request) (*http.Response, error) {
	if f.Status != 0 {
		return refusal(r, f), nil
	}
	return nil, f.asError()
}

// stream is the body of a watch: one event a line, until the watch ends.
func (w *World) stream(ctx context.Context, id int64, queue *queue) io.ReadCloser {
	body, events := io.Pipe()
	go func() {
		defer events.Close()
		defer w.cancel(id)
		for {
			told, open := queue.take(ctx)
			if !open {
				return
			}
			event, err := watchEvent(told)
			if err != nil || event == nil {
				w.forget(id)
				return
			}
			if _, err := events.Write(event); err != nil {
				return
			}
		}
	}()
	return body
}

// watchEvent is the line of an event, nil for the end of the watch.
func watchEvent(params json.RawMessage) ([]byte, error) {
	told, err := Decode[struct {
		Event *struct {
			Type   string          `json:"type"`
			Object json.RawMessage `json:"object"`
		} `json:"event"`
	}](params)
	if err != nil || told.Event == nil {
		return nil, err
	}
	kind := "Pod"
	if told.Event.Type == "ERROR" {
		kind = "Status"
	}
	object := typed(told.Event.Object, kind)
	return append(encode(map[string]any{"type": told.Event.Type, "object": object}), '\n'), nil
}

// typed is an object with its kind and apiVersion, which the wire may leave out.
func typed(object json.RawMessage, kind string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil || fields == nil {
		return object
	}
	for name, value := range map[string]string{"kind": kind, "apiVersion": "v1"} {
		if len(fields[name]) == 0 {
			fields[name] = encode(value)
		}
	}
	return encode(fields)
}

func refusal(r *http.Request, f failure) *http.Response {
	status := map[string]any{
		"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{},
		"status": "Failure", "reason": reasons[f.Status], "message": f.Message, "code": f.Status,
	}
	return response(r, f.Status, io.NopCloser(bytes.NewReader(encode(status))))
}

// reasons are what an apiserver says with a status.
var reasons = map[int]string{
	http.StatusBadRequest:          "BadRequest",
	http.StatusUnauthorized:        "Unauthorized",
	http.StatusForbidden:           "Forbidden",
	http.StatusNotFound:            "NotFound",
	http.StatusGone:                "Expired",
	http.StatusUnprocessableEntity: "Invalid",
	http.StatusTooManyRequests:     "TooManyRequests",
	http.StatusInternalServerError: "InternalError",
	http.StatusServiceUnavailable:  "ServiceUnavailable",
}

func response(r *http.Request, status int, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", status, http.StatusText(status)),
		StatusCode:    status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          body,
		ContentLength: -1,
		Request:       r,
	}
}
