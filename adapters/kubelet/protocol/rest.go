package protocol

import (
	"bytes"
	"runtime"
	"strings"
	"testing/synctest"
	"time"
)

// Rest waits until nothing is left to do at this instant; in real time nobody knows when
// that is, and the suite asks again.
//
// While the reader is held, a source may wait for a lock that a merge holds which waits
// for the reader. For synctest a goroutine that waits for a lock isn't at rest, and its
// Wait would never return; then the states of the goroutines tell. To read them is slow
// in a process that has seen many worlds, so a source alone is spared it.
func (w *World) Rest() {
	if w.native {
		time.Sleep(settled)
		return
	}
	w.lock.Lock()
	held := w.held
	w.lock.Unlock()
	if !held || w.alone {
		synctest.Wait()
		return
	}
	for seen := 0; seen < 2; {
		runtime.Gosched()
		if atRest(stacks()) {
			seen++
		} else {
			seen = 0
		}
	}
}

// atRest reads the stacks of all goroutines, the caller's first, and tells whether those
// of the caller's bubble wait, for a lock or durably.
func atRest(stacks string) bool {
	own, others, _ := strings.Cut(stacks, "\n")
	bubble := own[strings.LastIndex(own, ", "):]
	for _, line := range strings.Split(others, "\n") {
		if !strings.HasPrefix(line, "goroutine ") || !strings.HasSuffix(line, bubble) {
			continue
		}
		_, state, _ := strings.Cut(line, "[")
		waits := strings.Contains(state, "(durable)") || strings.HasPrefix(state, "sync.Mutex.Lock") || strings.HasPrefix(state, "sync.RWMutex.")
		if !waits {
			return false
		}
	}
	return true
}

func stacks() string {
	for size := 1 << 20; ; size *= 2 {
		text := make([]byte, size)
		if n := runtime.Stack(text, true); n < size {
			return string(bytes.TrimSpace(text[:n]))
		}
	}
}
