package modern

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"podsource/protocol"
)

// Recorder tells the world of Kubernetes events. It never waits, unlike client-go's
// FakeRecorder, which would hold the merge up.
type Recorder struct{ World *protocol.World }

// Event tells of an event.
func (r Recorder) Event(object runtime.Object, eventtype, reason, message string) {
	r.World.Event(protocol.Pod(object), eventtype, reason, message)
}

// Eventf tells of an event with a formatted text.
func (r Recorder) Eventf(object runtime.Object, eventtype, reason, format string, args ...any) {
	r.Event(object, eventtype, reason, fmt.Sprintf(format, args...))
}

// AnnotatedEventf tells of an event; the annotations aren't part of the contract.
func (r Recorder) AnnotatedEventf(object runtime.Object, _ map[string]string, eventtype, reason, format string, args ...any) {
	r.Eventf(object, eventtype, reason, format, args...)
}
