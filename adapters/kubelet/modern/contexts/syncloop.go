package contexts

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	kubepod "k8s.io/kubernetes/pkg/kubelet/pod"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/queue"
	"k8s.io/utils/clock"

	"podsource/modern/loop"
	"podsource/protocol"
)

func startLoop(ready Ready) func(*protocol.World, <-chan kubetypes.PodUpdate) {
	return func(w *protocol.World, updates <-chan kubetypes.PodUpdate) {
		made := loop.Make(w, map[string]any{
			"sourcesReady":     ready(loop.Ready(w)),
			"podManager":       kubepod.NewBasicPodManager(),
			"readinessManager": proberesults.NewManager(),
			"containerManager": cm.NewStubContainerManager(),
			"workQueue":        queue.NewBasicWorkQueue(clock.RealClock{}),
			"clock":            clock.RealClock{},
		})
		go syncLoop(made, context.Background(), updates, handler{loop.Handler{World: w}})
	}
}

//go:linkname syncLoop k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop
func syncLoop(*kubelet.Kubelet, context.Context, <-chan kubetypes.PodUpdate, kubelet.SyncHandler)

type handler struct{ loop.Handler }

func (h handler) HandlePodAdditions(pods []*v1.Pod) { h.Additions(pods) }
func (h handler) HandlePodUpdates(pods []*v1.Pod)   { h.Updates(pods) }
func (h handler) HandlePodRemoves(pods []*v1.Pod)   { h.Removes(pods) }
func (h handler) HandlePodReconcile(pods []*v1.Pod) { h.Reconcile(pods) }
func (h handler) HandlePodSyncs(pods []*v1.Pod)     { h.Syncs(pods) }

func (h handler) HandlePodCleanups(context.Context) error {
	h.Cleanups()
	return nil
}
