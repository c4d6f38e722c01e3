package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func world(out io.Writer) *World {
	ids := int64(0)
	return newWorld(NewLine(strings.NewReader(""), out), &ids)
}

func TestAdvanceStopsAtTheFirstQuestion(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		w := world(io.Discard)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			time.Sleep(3 * time.Second)
			w.question(ctx, "env/fetch", map[string]any{})
		}()

		w.advance(10e9)
		first := w.Now()
		w.advance(10e9)

		if first != 3e9 || w.Now() != 10e9 {
			t.Errorf("the clock stopped at %d and %d", first, w.Now())
		}
		cancel()
	})
}

func TestReadTakesNothingWhileHeld(t *testing.T) {
	defer recoverDeadlock(t)
	synctest.Test(t, func(*testing.T) {
		w := world(io.Discard)
		updates, got := make(chan int, 3), []int{}
		w.hold(true)
		Read(w, updates, func(update int) { got = append(got, update) })
		updates <- 1
		updates <- 2
		w.Rest()
		held := len(got)
		w.hold(false)
		w.Rest()

		if held != 0 || len(got) != 2 {
			t.Errorf("%d were taken while held, %d in all", held, len(got))
		}
	})
}

func TestAKubeletThatSendsAgainAndAgainSpins(t *testing.T) {
	defer recoverDeadlock(t)
	synctest.Test(t, func(*testing.T) {
		w := world(io.Discard)
		updates := make(chan int)
		Read(w, updates, func(int) {})
		go func() {
			for {
				updates <- 1
			}
		}()

		if r := w.carryOut(func(*World) (any, error) { return nil, nil }); asError(r.err).Code != codeSpins {
			t.Errorf("the result is %+v", r)
		}
	})
}

func TestRestKnowsThatALockIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		w := world(io.Discard)
		w.hold(true)
		var lock sync.Mutex
		release := make(chan struct{})
		go func() {
			lock.Lock()
			defer lock.Unlock()
			<-release
		}()
		go func() {
			time.Sleep(0)
			lock.Lock()
			defer lock.Unlock()
		}()

		w.Rest()
		close(release)
	})
}

func TestGoroutinesAtRest(t *testing.T) {
	own := "goroutine 9 [running, synctest bubble 2]:\nmain()\n\n"
	for state, rests := range map[string]bool{
		"chan receive (durable), synctest bubble 2":                true,
		"select (durable), 3 minutes, synctest bubble 2":           true,
		"sync.Mutex.Lock, synctest bubble 2":                       true,
		"chan receive, synctest bubble 2":                          false,
		"runnable, synctest bubble 2":                              false,
		"runnable, synctest bubble 12":                             true,
		"runnable":                                                 true,
		"sync.RWMutex.RLock, synctest bubble 2":                    true,
		"syscall, synctest bubble 2":                               false,
		"IO wait, synctest bubble 2":                               false,
		"sync.WaitGroup.Wait (durable), synctest bubble 2":         true,
		"chan send (durable), locked to thread, synctest bubble 2": true,
	} {
		if atRest(own+"goroutine 10 ["+state+"]:\nf()\n") != rests {
			t.Errorf("%q: at rest is %v", state, !rests)
		}
	}
}

func TestTheNetworkIsGosOwn(t *testing.T) {
	synctest.Test(t, func(*testing.T) {
		out := &bytes.Buffer{}
		w := world(out)
		client := &http.Client{Transport: w.Network(), Timeout: 10 * time.Second}
		type got struct {
			status int
			body   string
			err    error
		}
		results := make(chan got, 1)
		get := func() {
			response, err := client.Get("http://h/x?y")
			if err != nil {
				results <- got{err: err}
				return
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			results <- got{response.StatusCode, string(body), err}
		}

		go get()
		synctest.Wait()
		w.hear(json.RawMessage(`{"id":1,"reply":{"status":404,"headers":[["X","y"]],"body":"aGk="}}`))
		if r := <-results; r != (got{404, "hi", nil}) {
			t.Errorf("a reply came as %+v", r)
		}
		go get()
		synctest.Wait()
		w.hear(json.RawMessage(`{"id":2,"error":{"kind":"refused","message":"x"}}`))
		if r := <-results; r.err == nil || !strings.Contains(r.err.Error(), "connection refused") {
			t.Errorf("a failure came as %+v", r)
		}
		go get()
		if r := <-results; r.err == nil || w.Now() != 10e9 {
			t.Errorf("at %d there was %+v", w.Now(), r)
		}
		synctest.Wait()
		if !strings.Contains(out.String(), `"url":"http://h/x?y"`) || !strings.Contains(out.String(), `"method":"env/cancel","params":{"id":3}`) {
			t.Errorf("told was %s", out)
		}
	})
}

func recoverDeadlock(t *testing.T) {
	if fault := recover(); fault != nil && !strings.HasPrefix(fault.(error).Error(), deadlock) {
		t.Error(fault)
	}
}
