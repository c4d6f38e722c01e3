// The adapter over kubelet 1.36: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/kubelet/config"

	"podsource/modern/wholesets"
	"podsource/protocol"
)

func main() {
	seen := func(_ *protocol.World, podConfig *config.PodConfig, names sets.Set[string]) bool {
		return podConfig.SeenAllSources(names)
	}
	wholesets.Serve("1.36.3", seen, func() {})
}
