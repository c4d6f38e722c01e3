package main

import (
	"reflect"
	"time"
	"unsafe"

	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/types"

	"podsource/protocol"
)

// buffered is how many messages PodConfig's channel to the sync loop holds.
const buffered = 50

type delivery struct {
	Update *set `json:"update"`
}

func newSyncLoop(w *protocol.World, c protocol.Config) (protocol.Object, error) {
	updates := make(chan kubelet.PodUpdate, buffered)
	return protocol.Object{
		"start": protocol.Bind(func(struct{}) (any, error) {
			go syncLoop(loopOnly(w, c), updates, handler{w})
			return nil, nil
		}),
		"deliver": protocol.Bind(func(d delivery) (any, error) {
			if d.Update == nil {
				close(updates)
				return nil, nil
			}
			read, err := internal(d.Update.Pods)
			if err != nil {
				return nil, err
			}
			op, known := operations[d.Update.Op]
			if !known {
				op = unknown
			}
			update := kubelet.PodUpdate{Pods: read, Op: op, Source: d.Update.Source}
			go func() { updates <- update }()
			return nil, nil
		}),
	}, nil
}

//go:linkname syncLoop k8s.io/kubernetes/pkg/kubelet.(*Kubelet).syncLoop
func syncLoop(*kubelet.Kubelet, <-chan kubelet.PodUpdate, kubelet.SyncHandler)

// loopOnly is a Kubelet of which there is nothing but what its sync loop looks at. This
// kubelet's loop asks nobody whether the runtime is up, it looks when it was up last;
// what the suite says of that changes between its requests only.
func loopOnly(w *protocol.World, c protocol.Config) *kubelet.Kubelet {
	made := &kubelet.Kubelet{}
	setField(made, "resyncInterval", time.Duration(c.SyncPeriodNS))
	setField(made, "networkConfigured", true)
	setField(made, "podManager", noPods{})
	setField(made, "sourcesReady", kubelet.SourcesReadyFn(func() bool {
		answer, err := w.Ask("all_ready")
		return err == nil && answer == true
	}))
	look := func() {
		up := time.Duration(0)
		if answer, err := w.Ask("runtime_errors"); err == nil && len(answer.([]any)) == 0 {
			up = 1 << 62
		}
		setField(made, "lastTimestampRuntimeUp", time.Now())
		setField(made, "runtimeUpThreshold", up)
	}
	look()
	w.Before(look)
	return made
}

// setField sets a field of a struct that isn't exported.
func setField(of any, name string, value any) {
	found := reflect.ValueOf(of).Elem().FieldByName(name)
	reflect.NewAt(found.Type(), unsafe.Pointer(found.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
}

// handler tells the world which handlers the loop calls.
type handler struct{ world *protocol.World }

func (h handler) tell(name string, list []*api.Pod) { h.world.Handle(name, pods(list)) }

func (h handler) HandlePodAdditions(list []*api.Pod) { h.tell("handle_pod_additions", list) }
func (h handler) HandlePodUpdates(list []*api.Pod)   { h.tell("handle_pod_updates", list) }
func (h handler) HandlePodDeletions(list []*api.Pod) { h.tell("handle_pod_deletions", list) }
func (h handler) HandlePodSyncs(list []*api.Pod)     { h.tell("handle_pod_syncs", list) }

func (h handler) HandlePodCleanups() error {
	h.tell("handle_pod_cleanups", nil)
	return nil
}

// noPods is the pod manager of a kubelet without pods; the loop asks it for them all.
type noPods struct{ manager }

func (noPods) GetPods() []*api.Pod { return nil }

// manager has the methods that a pod manager must have; none is called.
type manager interface {
	GetPods() []*api.Pod
	GetPodByFullName(string) (*api.Pod, bool)
	GetPodByName(string, string) (*api.Pod, bool)
	GetPodByMirrorPod(*api.Pod) (*api.Pod, bool)
	GetMirrorPodByPod(*api.Pod) (*api.Pod, bool)
	GetPodsAndMirrorPods() ([]*api.Pod, []*api.Pod)
	SetPods([]*api.Pod)
	AddPod(*api.Pod)
	UpdatePod(*api.Pod)
	DeletePod(*api.Pod)
	DeleteOrphanedMirrorPods()
	TranslatePodUID(types.UID) types.UID
	IsMirrorPodOf(*api.Pod, *api.Pod) bool
	CreateMirrorPod(*api.Pod) error
	DeleteMirrorPod(string) error
}
