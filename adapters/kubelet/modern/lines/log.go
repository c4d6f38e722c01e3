// Package lines is the log of those kubelets that log by lines of text.
package lines

import (
	"flag"
	"strings"

	"k8s.io/klog/v2"

	"podsource/protocol"
)

// Log tells a world what the kubelet logs; which one, it is told by Begin.
type Log struct{ world *protocol.World }

// Take takes over klog's output.
func Take() *Log {
	flags := flag.NewFlagSet("klog", flag.PanicOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{
		"logtostderr": "false", "stderrthreshold": "FATAL", "skip_headers": "true",
		"one_output": "true", // else an error is written as a warning and as an info, too
	} {
		if err := flags.Set(name, value); err != nil {
			panic(err)
		}
	}
	log := &Log{}
	for severity, level := range map[string]string{"INFO": "info", "WARNING": "warning", "ERROR": "error"} {
		klog.SetOutputBySeverity(severity, writer{log, level})
	}
	return log
}

// Begin tells another world from now on.
func (l *Log) Begin(w *protocol.World) { l.world = w }

type writer struct {
	log   *Log
	level string
}

func (w writer) Write(text []byte) (int, error) {
	if w.log.world != nil {
		w.log.world.Log(w.level, strings.TrimRight(string(text), "\n"), nil)
	}
	return len(text), nil
}
