// The adapter over kubelet 1.20: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
	"time"
	_ "unsafe" // for go:linkname

	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/configfiles"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	nodeutil "k8s.io/kubernetes/pkg/util/node"

	"podsource/modern"
	"podsource/modern/lines"
	"podsource/modern/operations"
	"podsource/modern/settings"
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
		Version:      "1.20.15",
		Features:     operations.Features,
		Begin:        lines.Take().Begin,
		Set:          kubetypes.SET,
		NewBackoff:   newBackoff,
		NewPodConfig: newPodConfig,
		StartAlone:   operations.Alone(start),
		NewReady:     newReady,
		Decode:       operations.Decode,
		DecodeList:   operations.DecodeList,
		StartLoop:    startLoop,
		NodeName:     nodeutil.GetHostname,
		ReadConfig:   settings.Read(configfiles.Loader.Load),
	})
}

func newBackoff(c protocol.Config) (*flowcontrol.Backoff, error) {
	if c.JitterFactor != 0 || c.ExpiresAfterNS != nil {
		return nil, protocol.Refused("the backoff of kubelet 1.20 has no jitter and no expiry of its own", false)
	}
	return flowcontrol.NewBackOff(modern.Duration(c.InitialNS), modern.Duration(c.MaxNS)), nil
}

func newReady(ask func([]string) bool) (func(string), func() bool) {
	ready := config.NewSourcesReady(func(seen sets.String) bool { return ask(seen.List()) })
	return ready.AddSource, ready.AllReady
}

func newPodConfig(w *protocol.World, mode string) (modern.PodConfig, error) {
	podConfig := config.NewPodConfig(operations.Mode(mode), modern.Recorder{World: w})
	return operations.PodConfig{
		PodConfig: podConfig,
		World:     w,
		ChannelOf: func(source string) operations.Channel { return podConfig.Channel(source) },
		Seen:      func(names []string) bool { return podConfig.SeenAllSources(sets.NewString(names...)) },
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
