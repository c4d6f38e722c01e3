// The adapter over kubelet 1.37: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/flowcontrol"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/klog/v2"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/kubelet/config"

	"podsource/modern"
	"podsource/modern/settings"
	"podsource/modern/structured"
	"podsource/protocol"
)

func main() {
	// A channel made outside a bubble would keep its time from moving; nil doesn't.
	wait.NeverStop = nil
	// The second handler sleeps until 1 ms after the last error, which it has noted in
	// real time: in a bubble, for decades.
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	modern.Serve(modern.Kubelet{
		Version:      "1.37.2",
		Begin:        begin,
		Set:          -1,
		NewBackoff:   newBackoff,
		NewPodConfig: newPodConfig,
		StartAlone:   startAlone,
		NewReady:     newReady,
		Decode:       decode,
		DecodeList:   decodeList,
		StartLoop:    startLoop,
		NodeName:     nodeutil.GetHostname,
		ReadConfig:   settings.Read,
	})
}

func begin(w *protocol.World) {
	klog.SetLogger(structured.Logger(w))
	staticPodWarningCache = newWarningCache(1000)
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

func decode(w *protocol.World, m modern.Manifest) (bool, *v1.Pod, error) {
	return tryDecodeSinglePod(structured.Logger(w), m.Data, defaults(m))
}

func decodeList(w *protocol.World, m modern.Manifest) (bool, []v1.Pod, error) {
	parsed, list, err := tryDecodePodList(structured.Logger(w), m.Data, defaults(m))
	return parsed, list.Items, err
}

func defaults(m modern.Manifest) func(klog.Logger, *api.Pod) error {
	return func(logger klog.Logger, pod *api.Pod) error {
		return applyDefaults(logger, pod, m.Source, m.IsFile, types.NodeName(m.NodeName))
	}
}

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(logger klog.Logger, pod *api.Pod, source string, isFile bool, nodeName types.NodeName) error

//go:linkname tryDecodeSinglePod k8s.io/kubernetes/pkg/kubelet/config.tryDecodeSinglePod
func tryDecodeSinglePod(logger klog.Logger, data []byte, defaults func(klog.Logger, *api.Pod) error) (bool, *v1.Pod, error)

//go:linkname tryDecodePodList k8s.io/kubernetes/pkg/kubelet/config.tryDecodePodList
func tryDecodePodList(logger klog.Logger, data []byte, defaults func(klog.Logger, *api.Pod) error) (bool, v1.PodList, error)

// The kubelet logs each warning about a static pod once in the life of a process; here
// each world has a kubelet of its own.
//
//go:linkname staticPodWarningCache k8s.io/kubernetes/pkg/kubelet/config.staticPodWarningCache
var staticPodWarningCache unsafe.Pointer

//go:linkname newWarningCache k8s.io/kubernetes/pkg/kubelet/config.newWarningCache
func newWarningCache(entries int) unsafe.Pointer
