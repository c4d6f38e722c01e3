package main

import (
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/clock"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubepod "k8s.io/kubernetes/pkg/kubelet/pod"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/queue"

	"podsource/modern/loop"
	"podsource/protocol"
)

func startLoop(w *protocol.World, updates <-chan kubetypes.PodUpdate) {
	ready := loop.Ready(w)
	made := loop.Make(w, map[string]any{
		"sourcesReady": config.NewSourcesReady(func(seen sets.String) bool { return ready(seen.List()) }),
		"podManager":   kubepod.NewBasicPodManager(nil, nil, nil),
		"workQueue":    queue.NewBasicWorkQueue(clock.RealClock{}),
		"clock":        clock.RealClock{},
	})
	go syncLoop(made, updates, handler{loop.Handler{World: w}})
}

//go:linkname syncLoop k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop
func syncLoop(*kubelet.Kubelet, <-chan kubetypes.PodUpdate, kubelet.SyncHandler)

type handler struct{ loop.Handler }

func (h handler) HandlePodAdditions(pods []*v1.Pod) { h.Additions(pods) }
func (h handler) HandlePodUpdates(pods []*v1.Pod)   { h.Updates(pods) }
func (h handler) HandlePodRemoves(pods []*v1.Pod)   { h.Removes(pods) }
func (h handler) HandlePodReconcile(pods []*v1.Pod) { h.Reconcile(pods) }
func (h handler) HandlePodSyncs(pods []*v1.Pod)     { h.Syncs(pods) }

func (h handler) HandlePodCleanups() error {
	h.Cleanups()
	return nil
}
