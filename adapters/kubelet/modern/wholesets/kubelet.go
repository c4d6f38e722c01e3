package wholesets

import (
	"context"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/configfiles"

	"podsource/modern"
	"podsource/modern/settings"
	"podsource/modern/structured"
	"podsource/protocol"
)

// Kubelet is what differs between these kubelets.
type Kubelet struct {
	Version      string
	Begin        func() // makes what the process has only once
	NewPodConfig func(recorder record.EventRecorderLogger) *config.PodConfig
	Seen         func(w *protocol.World, podConfig *config.PodConfig, names sets.Set[string]) bool
}

// Serve serves the kubelet.
func (k Kubelet) Serve() {
	// A channel made outside a bubble would keep its time from moving; nil doesn't.
	wait.NeverStop = nil
	// The second handler sleeps until 1 ms after the last error, which it has noted in
	// real time: in a bubble, for decades.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	modern.Serve(modern.Kubelet{
		Version: k.Version,
		Begin: func(w *protocol.World) {
			klog.SetLogger(structured.Logger(w))
			k.Begin()
		},
		Set:          -1,
		NewBackoff:   newBackoff,
		NewPodConfig: k.newPodConfig,
		StartAlone:   startAlone,
		NewReady:     newReady,
		Decode:       decode,
		DecodeList:   decodeList,
		StartLoop:    startLoop,
		NodeName:     nodeutil.GetHostname,
		ReadConfig:   settings.Read(load),
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

func load(loader configfiles.Loader) (modern.Settings, error) {
	return loader.Load(context.Background())
}
