package protocol

import (
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// spinLimit is how often a kubelet may send or ask at one instant before it spins.
const spinLimit = 1000

// World is what the kubelet's code meets between two ends of a bubble. It is made
// inside the bubble, and its clock is the bubble's.
type World struct {
	line    *Line
	ids     *int64
	start   time.Time
	objects map[string]Object
	asked   chan struct{}
	alone   bool
	native  bool
	path    string
	before  []func()

	lock    sync.Mutex
	hearers map[int64]func(json.RawMessage)
	readers []chan bool
	held    bool
	instant time.Time
	wakeups int
}

func newWorld(line *Line, ids *int64) *World {
	return &World{
		line:    line,
		ids:     ids,
		start:   time.Now(),
		objects: map[string]Object{},
		asked:   make(chan struct{}, 1),
		hearers: map[int64]func(json.RawMessage){},
	}
}

// Now is the time since the world began, in nanoseconds.
func (w *World) Now() int64 { return time.Since(w.start).Nanoseconds() }

// At is the instant that lies so many nanoseconds after the world's beginning.
func (w *World) At(ns int64) time.Time { return w.start.Add(time.Duration(ns)) }

// Path is the path that a file source is told to read.
func (w *World) Path() string { return strings.TrimRight(w.path, "/") }

// Ask asks the rest of the kubelet, which the suite plays.
func (w *World) Ask(question string, args ...any) (any, error) {
	if args == nil {
		args = []any{}
	}
	params := map[string]any{"question": question, "args": args, "at_ns": w.Now()}
	result, fault := w.line.ask("env/ask", params)
	if fault != nil {
		return nil, fault
	}
	answer, err := Decode[struct {
		Value any `json:"value"`
	}](result)
	return answer.Value, err
}

// Watch watches a path; tell is called for each event, and with an error at the end.
func (w *World) Watch(path string, tell func(ops []string, name string, err error)) (func(), error) {
	id := w.listen(func(params json.RawMessage) { tellFiles(params, tell) })
	params := map[string]any{"id": id, "path": path, "at_ns": w.Now()}
	if _, fault := w.line.ask("env/watch", params); fault != nil {
		w.forget(id)
		return nil, fault.osError()
	}
	return func() { w.cancel(id) }, nil
}

// Send tells what a source or PodConfig has sent.
func (w *World) Send(source, op string, pods []any) {
	params := map[string]any{"source": source, "op": op, "pods": pods, "at_ns": w.Now()}
	w.line.notify("env/send", params)
}

// Taken tells that PodConfig has taken the set of that id.
func (w *World) Taken(sendID int64) {
	w.line.notify("update/taken", map[string]any{"send_id": sendID})
}

// Handle tells that the sync loop has called a handler.
func (w *World) Handle(handler string, pods []any) {
	w.wake()
	params := map[string]any{"handler": handler, "pods": pods, "at_ns": w.Now()}
	w.line.notify("env/handle", params)
}

// Event tells of a Kubernetes event about a pod.
func (w *World) Event(pod any, type_, reason, text string) {
	params := map[string]any{
		"pod": pod, "type": type_, "reason": reason, "message": text, "at_ns": w.Now(),
	}
	w.line.notify("env/event", params)
}

// Log tells what the kubelet has logged.
func (w *World) Log(level, text string, fields map[string]any) {
	if fields == nil {
		fields = map[string]any{}
	}
	params := map[string]any{
		"level": level, "message": text, "fields": fields, "at_ns": w.Now(),
	}
	w.line.notify("env/log", params)
}

// Read takes from in what the kubelet sends, one at a time, unless the reader is held.
func Read[T any](w *World, in <-chan T, report func(T)) {
	control := make(chan bool)
	w.lock.Lock()
	defer w.lock.Unlock()
	w.readers = append(w.readers, control)
	go func(held bool) {
		for {
			open := in
			if held || w.spins() {
				open = nil
			}
			select {
			case update := <-open:
				w.wake()
				report(update)
			case held = <-control:
			}
		}
	}(w.held)
}

func (w *World) hold(held bool) {
	w.lock.Lock()
	w.held = held
	readers := w.readers
	w.lock.Unlock()
	for _, control := range readers {
		control <- held
	}
}

// Before calls work before each request of the suite is carried out.
func (w *World) Before(work func()) { w.before = append(w.before, work) }

// advance moves the clock to an instant, or stops at the first question that is
// answered later. Real time can't be moved.
func (w *World) advance(toNS int64) {
	if w.native {
		w.Rest()
		return
	}
	select {
	case <-w.asked:
	default:
	}
	timer := time.NewTimer(time.Until(w.At(toNS)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.asked:
	}
	w.Rest()
}

// open tells the suite of a question that it answers later, by its id.
func (w *World) open(method string, params map[string]any, hear func(json.RawMessage)) int64 {
	w.wake()
	if w.spins() {
		select {}
	}
	id := w.listen(hear)
	params["id"] = id
	params["at_ns"] = w.Now()
	w.line.notify(method, params)
	select {
	case w.asked <- struct{}{}:
	default:
	}
	return id
}

func (w *World) listen(hear func(json.RawMessage)) int64 {
	w.lock.Lock()
	defer w.lock.Unlock()
	*w.ids++
	w.hearers[*w.ids] = hear
	return *w.ids
}

func (w *World) forget(id int64) bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	_, known := w.hearers[id]
	delete(w.hearers, id)
	return known
}

func (w *World) cancel(id int64) {
	if w.forget(id) {
		w.line.notify("env/cancel", map[string]any{"id": id})
	}
}

// hear hands a notification of the suite to who waits for it; one for something that
// was cancelled is late, and nobody hears it.
func (w *World) hear(params json.RawMessage) error {
	to, err := Decode[struct {
		ID int64 `json:"id"`
	}](params)
	if err != nil {
		return err
	}
	w.lock.Lock()
	hear := w.hearers[to.ID]
	w.lock.Unlock()
	if hear != nil {
		hear(params)
	}
	return nil
}

// end cancels whatever the suite still would answer.
func (w *World) end() {
	w.lock.Lock()
	ids := make([]int64, 0, len(w.hearers))
	for id := range w.hearers {
		ids = append(ids, id)
	}
	w.lock.Unlock()
	for _, id := range ids {
		w.cancel(id)
	}
}

// calm begins to count anew: each request of the suite may wake the kubelet up.
func (w *World) calm() {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.wakeups = 0
}

func (w *World) wake() {
	w.lock.Lock()
	defer w.lock.Unlock()
	if now := time.Now(); !now.Equal(w.instant) {
		w.instant, w.wakeups = now, 0
	}
	w.wakeups++
}

func (w *World) spins() bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.wakeups >= spinLimit
}
