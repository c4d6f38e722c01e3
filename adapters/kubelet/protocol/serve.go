package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// stuckAfter is how long the kubelet may work at one request, in real time.
const stuckAfter = 8 * time.Second

// stuckCode is the exit code of a process whose kubelet never came to rest.
const stuckCode = 3

// drawn makes the jitter of client-go's retries the same in each world; the programs
// need the directive randseednop=0 for it.
const drawn = 7

// deadlock is how synctest ends a bubble whose main goroutine has returned while the
// kubelet's goroutines are still there; the kubelet's sources never end by themselves.
const deadlock = "deadlock: main bubble goroutine has exited but blocked goroutines remain"

// Method is a method of an object; it gets its arguments by name.
type Method func(arguments json.RawMessage) (any, error)

// Object is an object of a component, by the names of its methods.
type Object map[string]Method

// Factory makes the object of a component.
type Factory func(w *World, config Config) (Object, error)

// Kubelet is what an adapter offers.
type Kubelet struct {
	Version    string             // such as 1.37.2
	Features   []string           // levels beyond base
	Components map[string]Factory // by name
	Begin      func(w *World)     // sets what the process has only once; in the bubble
	Native     bool               // real time, the kernel's inotify, the network
}

// functions are the components that need no object.
var functions = map[string]bool{"manifest": true, "flags": true}

// Bind makes a method of a function that takes its arguments as a struct.
func Bind[A any](method func(A) (any, error)) Method {
	return func(arguments json.RawMessage) (any, error) {
		args, err := Decode[A](arguments)
		if err != nil {
			return nil, err
		}
		return method(args)
	}
}

// Main serves the suite on standard input and output and doesn't return.
func Main(kubelet Kubelet) {
	if kubelet.Native {
		delete(kubelet.Components, "backoff") // its cases are about single nanoseconds
	}
	serve := func(t *testing.T) {
		newSession(t, kubelet, NewLine(os.Stdin, os.Stdout)).serve()
		os.Exit(0)
	}
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: "kubelet", F: serve}}, nil, nil)
}

type session struct {
	t       *testing.T
	kubelet Kubelet
	line    *Line
	ids     int64
	bubble  *bubble
	late    []message // notifications that wait for the next request
	used    bool      // a native kubelet has lived in this process
	start   time.Time // when the native world began, if in the process before
}

func newSession(t *testing.T, kubelet Kubelet, line *Line) *session {
	return &session{t: t, kubelet: kubelet, line: line}
}

func (s *session) serve() {
	if s.kubelet.Native {
		s.line.hush()
		s.succeed()
	}
	messages := make(chan message)
	go func() {
		defer close(messages)
		for {
			m, err := s.line.read()
			if err != nil {
				return
			}
			messages <- m
		}
	}()
	for m := range messages {
		if len(m.ID) == 0 {
			s.late = append(s.late, m)
			continue
		}
		s.respond(m)
		if m.Method == "shutdown" {
			return
		}
	}
}

func (s *session) respond(m message) {
	value, err := s.request(m)
	s.line.answer(m.ID, value, asError(err))
}

func (s *session) request(m message) (any, error) {
	switch m.Method {
	case "initialize":
		return s.offer(), nil
	case "shutdown":
		return nil, s.leave()
	case "world/begin":
		if err := s.leave(); err != nil {
			return nil, err
		}
		if s.used {
			return nil, successor{Request: m}.become()
		}
		return nil, s.beginAs(m.Params)
	case "world/end":
		return nil, s.leave()
	}
	work, known := works[m.Method]
	if !known {
		return nil, Unknown("%s is not offered", m.Method)
	}
	if s.bubble == nil {
		return nil, BadParams("%s: no world has begun. Send world/begin first", m.Method)
	}
	late := s.late
	s.late = nil
	for _, each := range late {
		if _, err := s.inBubble(func(w *World) (any, error) { return nil, w.notified(each) }); err != nil {
			return nil, err
		}
	}
	if m.Method == "component/call" && stops(m.Params) {
		return s.restart(m)
	}
	return s.inBubble(func(w *World) (any, error) { return work(w, s.kubelet, m.Params) })
}

func (s *session) offer() map[string]any {
	components := []string{}
	for name := range s.kubelet.Components {
		components = append(components, name)
	}
	minor := strings.Join(strings.Split(s.kubelet.Version, ".")[:2], ".")
	return map[string]any{
		"protocol":   Version,
		"name":       "kubelet",
		"version":    s.kubelet.Version,
		"language":   "go",
		"kubelet":    minor,
		"components": components,
		"features":   s.kubelet.Features,
		"abilities":  s.abilities(),
	}
}

func (s *session) abilities() map[string]any {
	if s.kubelet.Native {
		return map[string]any{"time": "real", "watch": "native", "http": "loopback", "users": false}
	}
	return map[string]any{"time": "virtual", "watch": "told", "http": "told", "users": os.Geteuid() == 0}
}

// users are those whom a world may be of, by their ids.
var users = map[string]int{"": 0, "nobody": 65534}

// beginAs begins a world of a user, who opens its files.
func (s *session) beginAs(params json.RawMessage) error {
	as, err := Decode[struct {
		User string `json:"user"`
	}](params)
	if err != nil {
		return err
	}
	id, known := users[as.User]
	if !known {
		return BadParams("world/begin: user %q is not known", as.User)
	}
	if err := s.become(id); err != nil {
		return err
	}
	s.begin(0)
	return nil
}

// become changes who opens files; only root can.
func (s *session) become(id int) error {
	if os.Getuid() != 0 || os.Geteuid() == id {
		return nil
	}
	return syscall.Setreuid(-1, id)
}

func (s *session) begin(atNS int64) {
	s.late = nil
	if s.kubelet.Native {
		s.used = true
		s.bubble = newBubble(nil, s.nativeWorld)
		return
	}
	s.bubble = newBubble(s.t, func() *World {
		w := newWorld(s.line, &s.ids)
		time.Sleep(time.Duration(atNS))
		synctest.Wait()
		s.kubelet.Begin(w)
		return w
	})
}

func (s *session) nativeWorld() *World {
	w := newWorld(s.line, &s.ids)
	w.native = true
	if !s.start.IsZero() {
		w.start = s.start
	}
	s.kubelet.Begin(w)
	return w
}

// end ends the world. A native one can't be ended, only hushed.
func (s *session) end() {
	if s.bubble != nil && !s.kubelet.Native {
		s.bubble.end()
	}
	s.bubble = nil
}

// leave ends the world and is root again, where it was.
func (s *session) leave() error {
	s.end()
	return s.become(0)
}

// restart ends the kubelet and begins another one at the same instant: a source of the
// kubelet's has no other end than that of its process.
func (s *session) restart(m message) (any, error) {
	var start time.Time
	now, err := s.inBubble(func(w *World) (any, error) {
		w.end()
		start = w.start
		return w.Now(), nil
	})
	if err != nil {
		return nil, err
	}
	if s.kubelet.Native {
		return nil, successor{Request: m, Goes: true, Start: start, IDs: s.ids}.become()
	}
	s.end()
	s.begin(now.(int64))
	return map[string]any{"value": nil}, nil
}

// inBubble lets the kubelet work at something until it has come to rest.
func (s *session) inBubble(work func(*World) (any, error)) (any, error) {
	dog := time.AfterFunc(stuckAfter, func() {
		fmt.Fprintf(os.Stderr, "The kubelet doesn't come to rest: %v of real time at one request.\n", stuckAfter)
		os.Exit(stuckCode)
	})
	defer dog.Stop()
	if s.kubelet.Native {
		s.line.speak()
		defer s.line.hush()
	}
	return s.bubble.do(work)
}

// bubble is a world in the making; its channels are made outside, so that its clock
// stands while it waits for work. Without a test it is none, and its time is real.
type bubble struct {
	work    chan func(*World) (any, error)
	results chan result
	over    chan struct{}
	fault   any
}

type result struct {
	value any
	err   error
}

func newBubble(t *testing.T, begin func() *World) *bubble {
	b := &bubble{
		work:    make(chan func(*World) (any, error)),
		results: make(chan result),
		over:    make(chan struct{}),
	}
	go func() {
		defer close(b.over)
		defer func() { b.fault = recover() }()
		if t == nil {
			b.live(begin)
			return
		}
		synctest.Test(t, func(*testing.T) { b.live(begin) })
	}()
	return b
}

func (b *bubble) live(begin func() *World) {
	rand.Seed(drawn)
	w := begin()
	for work := range b.work {
		b.results <- w.carryOut(work)
	}
}

func (b *bubble) do(work func(*World) (any, error)) (any, error) {
	select {
	case b.work <- work:
	case <-b.over:
		return nil, b.died()
	}
	select {
	case r := <-b.results:
		return r.value, r.err
	case <-b.over:
		return nil, b.died()
	}
}

func (b *bubble) died() error { return crashed(b.fault, "") }

func (b *bubble) end() {
	close(b.work)
	<-b.over
	if b.fault != nil && !strings.HasPrefix(fmt.Sprint(b.fault), deadlock) {
		panic(b.fault)
	}
}

func (w *World) carryOut(work func(*World) (any, error)) (r result) {
	w.calm()
	for _, each := range w.before {
		each()
	}
	r = try(func() (any, error) { return work(w) })
	w.Rest()
	if r.err == nil && w.spins() {
		data := map[string]any{"wakeups": spinLimit, "at_ns": w.Now()}
		r.err = &Error{Code: codeSpins, Message: "the kubelet spins", Data: data}
	}
	return r
}

func try(work func() (any, error)) (r result) {
	defer func() {
		if fault := recover(); fault != nil {
			r = result{err: crashed(fault, string(debug.Stack()))}
		}
	}()
	value, err := work()
	return result{value, err}
}

func asError(err error) *Error {
	if err == nil {
		return nil
	}
	var fault *Error
	if errors.As(err, &fault) {
		return fault
	}
	return crashed(err, "")
}
