package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/api/unversioned"
	client "k8s.io/kubernetes/pkg/client/unversioned"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/runtime"

	"podsource/protocol"
)

var operations = map[string]kubelet.PodOperation{
	"SET": kubelet.SET, "ADD": kubelet.ADD, "REMOVE": kubelet.REMOVE, "UPDATE": kubelet.UPDATE,
}

// unknown is what an operation is that this kubelet doesn't have.
const unknown = kubelet.PodOperation(-1)

var modes = map[string]config.PodConfigNotificationMode{
	"incremental":          config.PodConfigNotificationIncremental,
	"snapshot":             config.PodConfigNotificationSnapshot,
	"snapshot-and-updates": config.PodConfigNotificationSnapshotAndUpdates,
}

func send(w *protocol.World, update kubelet.PodUpdate) {
	for name, op := range operations {
		if op == update.Op {
			w.Send(update.Source, name, pods(update.Pods))
		}
	}
}

func merged(w *protocol.World, c protocol.Config) *config.PodConfig {
	podConfig := config.NewPodConfig(modes[c.Mode], recorder{w})
	protocol.Read(w, podConfig.Updates(), func(update kubelet.PodUpdate) { send(w, update) })
	return podConfig
}

type set struct {
	SendID int64             `json:"send_id"`
	Source string            `json:"source"`
	Op     string            `json:"op"`
	Pods   []json.RawMessage `json:"pods"`
}

func newPodConfig(w *protocol.World, c protocol.Config) (protocol.Object, error) {
	podConfig := merged(w, c)
	for _, name := range c.Sources {
		podConfig.Channel(name)
	}
	return protocol.Object{
		"channel": protocol.Bind(func(s set) (any, error) {
			podConfig.Channel(s.Source)
			return nil, nil
		}),
		"send":             protocol.Bind(func(s set) (any, error) { return nil, s.put(w, podConfig) }),
		"seen_all_sources": seenAll(podConfig),
		"sync": protocol.Bind(func(struct{}) (any, error) {
			go podConfig.Sync() // it may wait for the reader
			return nil, nil
		}),
	}, nil
}

func (s set) put(w *protocol.World, podConfig *config.PodConfig) error {
	read, err := internal(s.Pods)
	if err != nil {
		return err
	}
	op, known := operations[s.Op]
	if !known {
		op = unknown
	}
	channel := podConfig.Channel(s.Source)
	go func() {
		channel <- kubelet.PodUpdate{Pods: read, Op: op, Source: s.Source}
		w.Taken(s.SendID)
	}()
	return nil
}

// seenAll asks without names: this kubelet doesn't know what the sync loop has seen.
func seenAll(podConfig *config.PodConfig) protocol.Method {
	return protocol.Bind(func(struct{}) (any, error) { return podConfig.SeenAllSources(), nil })
}

// newSources makes the sources and PodConfig as one, in the order of the kubelet's own
// makePodSourceConfig. Each source comes to rest before the next one is made: what they
// do at one instant has no order of its own.
func newSources(w *protocol.World, c protocol.Config) (protocol.Object, error) {
	podConfig := merged(w, c)
	return protocol.Object{
		"start": protocol.Bind(func(struct{}) (any, error) {
			for _, name := range []string{"file", "http", "api"} {
				if slices.Contains(c.Sources, name) {
					start(w, name, c, podConfig.Channel(name))
					w.Rest()
				}
			}
			return nil, nil
		}),
		"seen_all_sources": seenAll(podConfig),
	}, nil
}

// alone makes a source whose sets the adapter reads itself.
func alone(name string) protocol.Factory {
	return func(w *protocol.World, c protocol.Config) (protocol.Object, error) {
		return protocol.Object{"start": protocol.Bind(func(struct{}) (any, error) {
			updates := make(chan interface{})
			protocol.Read(w, updates, func(update interface{}) { send(w, update.(kubelet.PodUpdate)) })
			start(w, name, c, updates)
			return nil, nil
		})}, nil
	}
}

func start(w *protocol.World, source string, c protocol.Config, to chan<- interface{}) {
	period := time.Duration(c.PeriodNS)
	switch source {
	case "file":
		config.NewSourceFile(c.Path, c.NodeName, period, to)
	case "http":
		config.NewSourceURL(c.URL, header(c), c.NodeName, period, to)
	case "api":
		settings := &client.Config{Host: "http://apiserver", Version: "v1", Transport: w.Apiserver(), QPS: -1}
		config.NewSourceApiserver(client.NewOrDie(settings), c.NodeName, to)
	}
}

func header(c protocol.Config) http.Header {
	header := http.Header{}
	for _, pair := range c.Headers {
		header.Add(pair[0], pair[1])
	}
	return header
}

// recorder tells the world of Kubernetes events; in this kubelet they have no type.
type recorder struct{ world *protocol.World }

func (r recorder) Event(object runtime.Object, reason, message string) {
	r.world.Event(pod(object.(*api.Pod)), "", reason, message)
}

func (r recorder) Eventf(object runtime.Object, reason, format string, args ...interface{}) {
	r.Event(object, reason, fmt.Sprintf(format, args...))
}

func (r recorder) PastEventf(object runtime.Object, _ unversioned.Time, reason, format string, args ...interface{}) {
	r.Eventf(object, reason, format, args...)
}
