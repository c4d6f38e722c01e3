// The adapter over kubelet 1.37: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
	"unsafe"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/kubelet/config"

	"podsource/modern/structured"
	"podsource/modern/wholesets"
	"podsource/protocol"
)

func main() {
	seen := func(w *protocol.World, podConfig *config.PodConfig, names sets.Set[string]) bool {
		return podConfig.SourcesReadyFn(structured.Logger(w))(names)
	}
	wholesets.Serve("1.37.2", seen, func() { staticPodWarningCache = newWarningCache(1000) })
}

// The kubelet logs each warning about a static pod once in the life of a process; here
// each world has a kubelet of its own.
//
//go:linkname staticPodWarningCache k8s.io/kubernetes/pkg/kubelet/config.staticPodWarningCache
var staticPodWarningCache unsafe.Pointer

//go:linkname newWarningCache k8s.io/kubernetes/pkg/kubelet/config.newWarningCache
func newWarningCache(entries int) unsafe.Pointer
