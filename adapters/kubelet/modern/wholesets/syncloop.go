package wholesets

import (
	"context"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/cm"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubepod "k8s.io/kubernetes/pkg/kubelet/pod"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/queue"
	"k8s.io/utils/clock"

	"podsource/modern/loop"
	"podsource/protocol"
)

// startLoop starts the sync loop.
func startLoop(w *protocol.World, updates <-chan kubetypes.PodUpdate) {
	ready := loop.Ready(w)
	made := loop.Make(w, map[string]any{
		"sourcesReady":     config.NewSourcesReady(func(seen sets.Set[string]) bool { return ready(sets.List(seen)) }),
		"podManager":       kubepod.NewBasicPodManager(),
		"readinessManager": proberesults.NewManager(),
		"containerManager": cm.NewStubContainerManager(),
		"workQueue":        queue.NewBasicWorkQueue(clock.RealClock{}),
		"clock":            clock.RealClock{},
	})
	go syncLoop(made, context.Background(), updates, handler{loop.Handler{World: w}})
}

//go:linkname syncLoop k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop
func syncLoop(*kubelet.Kubelet, context.Context, <-chan kubetypes.PodUpdate, kubelet.SyncHandler)

type handler struct{ loop.Handler }

func (h handler) HandlePodAdditions(_ context.Context, pods []*v1.Pod) { h.Additions(pods) }
func (h handler) HandlePodUpdates(_ context.Context, pods []*v1.Pod)   { h.Updates(pods) }
func (h handler) HandlePodRemoves(_ context.Context, pods []*v1.Pod)   { h.Removes(pods) }
func (h handler) HandlePodReconcile(_ context.Context, pods []*v1.Pod) { h.Reconcile(pods) }
func (h handler) HandlePodSyncs(_ context.Context, pods []*v1.Pod)     { h.Syncs(pods) }

func (h handler) HandlePodCleanups(context.Context) error {
	h.Cleanups()
	return nil
}
