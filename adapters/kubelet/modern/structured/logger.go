// Package structured is the log of those kubelets that log by logr.
package structured

import (
	"fmt"

	"github.com/go-logr/logr"

	"podsource/protocol"
)

// Logger tells the world what the kubelet logs with its default verbosity, 0.
func Logger(w *protocol.World) logr.Logger { return logr.New(sink{world: w}) }

type sink struct {
	world  *protocol.World
	values []any
}

func (sink) Init(logr.RuntimeInfo) {}

func (sink) Enabled(level int) bool { return level == 0 }

func (s sink) Info(_ int, text string, values ...any) {
	s.world.Log("info", text, s.fields(values))
}

func (s sink) Error(err error, text string, values ...any) {
	if err != nil {
		values = append(values, "err", err)
	}
	s.world.Log("error", text, s.fields(values))
}

func (s sink) WithValues(values ...any) logr.LogSink {
	s.values = append(append([]any{}, s.values...), values...)
	return s
}

func (s sink) WithName(string) logr.LogSink { return s }

func (s sink) fields(values []any) map[string]any {
	fields := map[string]any{}
	all := append(append([]any{}, s.values...), values...)
	for i := 0; i+1 < len(all); i += 2 {
		fields[fmt.Sprint(all[i])] = fmt.Sprint(all[i+1])
	}
	return fields
}
