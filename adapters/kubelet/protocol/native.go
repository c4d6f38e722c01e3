package protocol

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"
)

// A native adapter has no bubbles: its kubelet sleeps in real time, watches with the
// kernel's inotify and fetches over the network. It shows that the bubble and what stands
// in for the kernel and the network tell the truth.

// settled is how long a native kubelet gets to speak at each request.
const settled = 2 * time.Millisecond

// soon is the shortest time in which the suite's answer to a question would be there.
func (w *World) soon() time.Duration {
	if w.native {
		return 25 * settled
	}
	return time.Nanosecond
}

// again is the variable by which a process hands its work on to the next one.
const again = "PODSOURCE_KUBELET_AGAIN"

// successor is what the next process is told: the request that it has to answer and, if
// the world goes on, what it needs of it.
type successor struct {
	Request message   `json:"request"`
	Goes    bool      `json:"goes"`
	Start   time.Time `json:"start"`
	IDs     int64     `json:"ids"`
}

// become replaces the process by a new one of the same program: nothing else ends the
// goroutines of a kubelet. The suite has sent nothing beyond the request, and doesn't
// notice.
func (s successor) become() error {
	environment := []string{again + "=" + string(encode(s))}
	for _, each := range os.Environ() {
		if !strings.HasPrefix(each, again+"=") {
			environment = append(environment, each)
		}
	}
	return fmt.Errorf("the next process can't be started: %w", syscall.Exec("/proc/self/exe", os.Args, environment))
}

// succeed takes over from the process before, if there was one.
func (s *session) succeed() {
	text, known := os.LookupEnv(again)
	if !known {
		return
	}
	os.Unsetenv(again)
	var from successor
	if err := json.Unmarshal([]byte(text), &from); err != nil {
		panic(err)
	}
	if !from.Goes {
		s.respond(from.Request)
		return
	}
	s.ids = from.IDs
	s.start = from.Start
	s.begin(0)
	s.line.answer(from.Request.ID, map[string]any{"value": nil}, nil)
}
