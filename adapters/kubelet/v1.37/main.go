// The adapter over kubelet 1.37: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/config"

	"podsource/modern/structured"
	"podsource/modern/wholesets"
	"podsource/protocol"
)

func main() {
	wholesets.Kubelet{
		Version:      "1.37.2",
		Begin:        func() { staticPodWarningCache = newWarningCache(1000) },
		NewPodConfig: newPodConfig,
		Seen: func(w *protocol.World, podConfig *config.PodConfig, names sets.Set[string]) bool {
			return podConfig.SourcesReadyFn(structured.Logger(w))(names)
		},
	}.Serve()
}

func newPodConfig(recorder record.EventRecorderLogger) *config.PodConfig {
	return config.NewPodConfig(recorder, observer{})
}

// observer takes what the kubelet tells of pods from the apiserver, and forgets it.
type observer struct{}

func (observer) ObservedPodOnWatch(klog.Logger, *v1.Pod, time.Time) {}

// The kubelet logs each warning about a static pod once in the life of a process; here
// each world has a kubelet of its own.
//
//go:linkname staticPodWarningCache k8s.io/kubernetes/pkg/kubelet/config.staticPodWarningCache
var staticPodWarningCache unsafe.Pointer

//go:linkname newWarningCache k8s.io/kubernetes/pkg/kubelet/config.newWarningCache
func newWarningCache(entries int) unsafe.Pointer
