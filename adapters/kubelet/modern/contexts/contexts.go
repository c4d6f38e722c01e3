// Package contexts is what the adapters of those kubelets have in common whose PodConfig
// takes a context for a channel, and operations through it: 1.30 to 1.34.
package contexts

import (
	"context"
	"time"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"podsource/modern"
	"podsource/modern/operations"
	"podsource/modern/structured"
	"podsource/protocol"
)

// A channel made outside a bubble would keep its time from moving; nil doesn't.
//
//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

// Seen asks PodConfig whether all sources have been seen, by names.
type Seen func(podConfig *config.PodConfig, names []string) bool

// Ready makes the kubelet's SourcesReady, which asks by the names that it has seen.
type Ready func(ask func(names []string) bool) config.SourcesReady

// Serve serves a kubelet of which is given what differs from the others.
func Serve(kubelet modern.Kubelet, seen Seen, ready Ready) {
	wait.NeverStop = nil
	neverExitWatch = nil
	// The second handler sleeps until 1 ms after the last error, which it has noted in
	// real time: in a bubble, for decades.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	kubelet.Features = operations.Features
	kubelet.Begin = func(w *protocol.World) { klog.SetLogger(structured.Logger(w)) }
	kubelet.Set = kubetypes.SET
	kubelet.NewPodConfig = newPodConfig(seen)
	kubelet.StartAlone = operations.Alone(start)
	kubelet.NewReady = func(ask func([]string) bool) (func(string), func() bool) {
		made := ready(ask)
		return made.AddSource, made.AllReady
	}
	kubelet.Decode = operations.Decode
	kubelet.DecodeList = operations.DecodeList
	kubelet.StartLoop = startLoop(ready)
	modern.Serve(kubelet)
}

func newPodConfig(seen Seen) func(*protocol.World, string) (modern.PodConfig, error) {
	return func(w *protocol.World, mode string) (modern.PodConfig, error) {
		podConfig := config.NewPodConfig(operations.Mode(mode), modern.Recorder{World: w}, observer{})
		return operations.PodConfig{
			PodConfig: podConfig,
			World:     w,
			ChannelOf: func(source string) operations.Channel {
				return podConfig.Channel(context.Background(), source)
			},
			Seen:      func(names []string) bool { return seen(podConfig, names) },
			StartInto: start,
		}, nil
	}
}

func start(w *protocol.World, source string, c protocol.Config, to operations.Channel) {
	node, period := types.NodeName(c.NodeName), time.Duration(c.PeriodNS)
	switch source {
	case "file":
		config.NewSourceFile(c.Path, node, period, to)
	case "http":
		config.NewSourceURL(c.URL, modern.Header(c), node, period, to)
	case "api":
		config.NewSourceApiserver(modern.Client(w), node, modern.Synced(w), to)
	}
}

// observer takes what the kubelet tells of pods from the apiserver, and forgets it.
type observer struct{}

func (observer) ObservedPodOnWatch(*v1.Pod, time.Time) {}
