// Package loop makes a Kubelet of which there is nothing but what its sync loop looks at.
package loop

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet"
	"k8s.io/kubernetes/pkg/kubelet/pleg"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"

	"podsource/modern"
	"podsource/protocol"
)

// never is a time after which the runtime has not been heard of for too long.
const never = 1 << 62

// Make makes a Kubelet with some of its fields set, by name. Its runtime reports the
// errors that the suite says, and no container does anything.
func Make(w *protocol.World, fields map[string]any) *kubelet.Kubelet {
	made := &kubelet.Kubelet{}
	for name, value := range fields {
		set(made, name, value)
	}
	set(made, "livenessManager", proberesults.NewManager())
	set(made, "startupManager", proberesults.NewManager())
	set(made, "pleg", noEvents{channel: make(chan *pleg.PodLifecycleEvent)})
	state := field(made, "runtimeState")
	state.Set(reflect.New(state.Type().Elem()))
	set(state.Interface(), "lastBaseRuntimeSync", time.Now())
	set(state.Interface(), "baseRuntimeSyncThreshold", time.Duration(never))
	addHealthCheck(state.UnsafePointer(), "suite", func() (bool, error) {
		err := runtimeErrors(w)
		return err == nil, err
	})
	return made
}

//go:linkname addHealthCheck k8s.io/kubernetes/pkg/kubelet.(*runtimeState).addHealthCheck
func addHealthCheck(state unsafe.Pointer, name string, check func() (bool, error))

func runtimeErrors(w *protocol.World) error {
	answer, err := w.Ask("runtime_errors")
	if err != nil {
		return err
	}
	list, _ := answer.([]any)
	if len(list) == 0 {
		return nil
	}
	return errors.New(strings.Trim(fmt.Sprint(list), "[]"))
}

// Ready asks whether all sources are ready, by the names that the loop has seen.
func Ready(w *protocol.World) func(seen []string) bool {
	return func(seen []string) bool {
		answer, err := w.Ask("all_ready", seen)
		return err == nil && answer == true
	}
}

// Handler tells the world which handlers the loop calls. What some kubelets hand over
// besides, a context, is left to their own types.
type Handler struct{ World *protocol.World }

// Additions and its like are called as the kubelet's handlers are.
func (h Handler) Additions(pods []*v1.Pod) { h.tell("handle_pod_additions", pods) }

// Updates is the handler of updates, and of deletions that wait.
func (h Handler) Updates(pods []*v1.Pod) { h.tell("handle_pod_updates", pods) }

// Removes is the handler of pods that are gone.
func (h Handler) Removes(pods []*v1.Pod) { h.tell("handle_pod_removes", pods) }

// Reconcile is the handler of another status.
func (h Handler) Reconcile(pods []*v1.Pod) { h.tell("handle_pod_reconcile", pods) }

// Syncs is the handler of pods that are due.
func (h Handler) Syncs(pods []*v1.Pod) { h.tell("handle_pod_syncs", pods) }

// Cleanups is housekeeping.
func (h Handler) Cleanups() { h.tell("handle_pod_cleanups", nil) }

func (h Handler) tell(name string, pods []*v1.Pod) { h.World.Handle(name, modern.Plain(pods)) }

// noEvents are the events of containers: none.
type noEvents struct {
	pleg.PodLifecycleEventGenerator
	channel chan *pleg.PodLifecycleEvent
}

func (n noEvents) Watch() chan *pleg.PodLifecycleEvent { return n.channel }

// field is a field of a struct, exported or not.
func field(of any, name string) reflect.Value {
	found := reflect.ValueOf(of).Elem().FieldByName(name)
	return reflect.NewAt(found.Type(), unsafe.Pointer(found.UnsafeAddr())).Elem()
}

func set(of any, name string, value any) { field(of, name).Set(reflect.ValueOf(value)) }
