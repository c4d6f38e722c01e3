// The adapter over kubelet 1.1. It is built in GOPATH mode, by v1.1/build.

//go:debug asynctimerchan=0
package main

import (
	"flag"
	"strings"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/golang/glog"
	_ "k8s.io/kubernetes/pkg/api/install" // registers the types
	"k8s.io/kubernetes/pkg/util"

	"podsource/protocol"
)

// A channel made outside a bubble would keep its time from moving; nil doesn't.
//
//go:linkname neverExitWatch k8s.io/kubernetes/pkg/client/cache.neverExitWatch
var neverExitWatch <-chan time.Time

func main() {
	util.NeverStop = nil
	neverExitWatch = nil
	log := &log{}
	flag.Set("logtostderr", "false")
	flag.Set("stderrthreshold", "FATAL")
	glog.SetOutput(log)
	protocol.Main(protocol.Kubelet{
		Version:  "1.1.1",
		Features: []string{"back-pressure", "logs", "nil-and-empty", "notification-modes", "resource-versions", "source-operations", "watch-failures"},
		Components: map[string]protocol.Factory{
			"backoff":   newBackoff,
			"manifest":  newManifest,
			"file":      alone("file"),
			"http":      alone("http"),
			"api":       alone("api"),
			"podconfig": newPodConfig,
			"sources":   newSources,
			"syncloop":  newSyncLoop,
			"flags":     newFlags,
		},
		Begin: func(w *protocol.World) {
			log.world = w
			standIn(w)
		},
		Native: native,
	})
}

// log tells the world what the kubelet logs. glog writes a line as all that is less
// severe, too, so it is told by what it writes as information, which is all.
type log struct{ world *protocol.World }

var levels = map[byte]string{'I': "info", 'W': "warning", 'E': "error", 'F': "error"}

func (l *log) Write(text []byte) (int, error) {
	if l.world != nil {
		_, message, _ := strings.Cut(string(text), "] ")
		l.world.Log(levels[text[0]], strings.TrimRight(message, "\n"), nil)
	}
	return len(text), nil
}

func newBackoff(w *protocol.World, c protocol.Config) (protocol.Object, error) {
	if c.JitterFactor != 0 || c.ExpiresAfterNS != nil {
		return nil, protocol.Refused("the backoff of kubelet 1.1 has no jitter and no expiry of its own", false)
	}
	backoff := util.NewBackOff(time.Duration(c.InitialNS), time.Duration(c.MaxNS))
	type entry struct {
		ID      string `json:"id"`
		EventNS int64  `json:"event_ns"`
	}
	return protocol.Object{
		"next": protocol.Bind(func(e entry) (any, error) {
			backoff.Next(e.ID, w.At(e.EventNS))
			return nil, nil
		}),
		"get": protocol.Bind(func(e entry) (any, error) { return backoff.Get(e.ID).Nanoseconds(), nil }),
		"gc": protocol.Bind(func(struct{}) (any, error) {
			backoff.GC()
			return nil, nil
		}),
		"is_in_backoff_since": protocol.Bind(func(e entry) (any, error) {
			return backoff.IsInBackOffSince(e.ID, w.At(e.EventNS)), nil
		}),
	}, nil
}
