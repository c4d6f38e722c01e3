// The adapter over kubelet 1.34: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
	"context"
	"time"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/flowcontrol"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"podsource/modern"
	"podsource/modern/operations"
	"podsource/modern/settings"
	"podsource/modern/structured"
	"podsource/protocol"
)

// A channel made outside a bubble would keep its time from moving; nil doesn't.
//
//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

func main() {
	wait.NeverStop = nil
	neverExitWatch = nil
	// The second handler sleeps until 1 ms after the last error, which it has noted in
	// real time: in a bubble, for decades.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	modern.Serve(modern.Kubelet{
		Version:      "1.34.0",
		Features:     operations.Features,
		Begin:        func(w *protocol.World) { klog.SetLogger(structured.Logger(w)) },
		Set:          kubetypes.SET,
		NewBackoff:   newBackoff,
		NewPodConfig: newPodConfig,
		StartAlone:   operations.Alone(start),
		NewReady:     newReady,
		Decode:       operations.Decode,
		DecodeList:   operations.DecodeList,
		StartLoop:    startLoop,
		NodeName:     nodeutil.GetHostname,
		ReadConfig:   settings.Read,
	})
}

func newBackoff(c protocol.Config) (*flowcontrol.Backoff, error) {
	backoff := flowcontrol.NewBackOffWithJitter(modern.Duration(c.InitialNS), modern.Duration(c.MaxNS), c.JitterFactor)
	backoff.HasExpiredFunc = modern.Expiry(c)
	return backoff, nil
}

func newReady(ask func([]string) bool) (func(string), func() bool) {
	ready := config.NewSourcesReady(func(seen sets.Set[string]) bool { return ask(sets.List(seen)) })
	return ready.AddSource, ready.AllReady
}

func newPodConfig(w *protocol.World, mode string) (modern.PodConfig, error) {
	podConfig := config.NewPodConfig(operations.Mode(mode), modern.Recorder{World: w}, observer{})
	return operations.PodConfig{
		PodConfig: podConfig,
		World:     w,
		ChannelOf: func(source string) operations.Channel {
			return podConfig.Channel(context.Background(), source)
		},
		Seen:      func(names []string) bool { return podConfig.SeenAllSources(sets.New(names...)) },
		StartInto: start,
	}, nil
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
