// The adapter over kubelet 1.36: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	"k8s.io/kubernetes/pkg/kubelet/config"

	"podsource/modern/wholesets"
	"podsource/protocol"
)

func main() {
	wholesets.Kubelet{
		Version:      "1.36.3",
		Begin:        func() {},
		NewPodConfig: newPodConfig,
		Seen: func(_ *protocol.World, podConfig *config.PodConfig, names sets.Set[string]) bool {
			return podConfig.SeenAllSources(names)
		},
	}.Serve()
}

func newPodConfig(recorder record.EventRecorderLogger) *config.PodConfig {
	return config.NewPodConfig(recorder, observer{})
}

// observer takes what the kubelet tells of pods from the apiserver, and forgets it.
type observer struct{}

func (observer) ObservedPodOnWatch(*v1.Pod, time.Time) {}
