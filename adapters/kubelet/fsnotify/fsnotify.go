// Package fsnotify stands in for github.com/fsnotify/fsnotify: the kernel is asked
// nothing, events are told. Whatever the kubelet's binary links of the real package is
// here; only what the kubelet's file source calls does something.
package fsnotify

import (
	"errors"
	"strings"
	"sync"
	"syscall"
)

// What happened, as in the real package.
const (
	Create Op = 1 << iota
	Write
	Remove
	Rename
	Chmod
)

// Errors of the real package.
var (
	ErrNonExistentWatch = errors.New("fsnotify: can't remove non-existent watch")
	ErrEventOverflow    = errors.New("fsnotify: queue or buffer overflow")
	ErrClosed           = errors.New("fsnotify: watcher already closed")
)

var ops = map[string]Op{
	"create": Create, "write": Write, "remove": Remove, "rename": Rename, "chmod": Chmod,
}

// Op is a set of things that happened.
type Op uint32

// Has tells whether the set has all of wanted.
func (o Op) Has(wanted Op) bool { return o&wanted == wanted }

func (o Op) String() string {
	var names []string
	for _, name := range []string{"create", "remove", "write", "rename", "chmod"} {
		if o.Has(ops[name]) {
			names = append(names, strings.ToUpper(name))
		}
	}
	return strings.Join(names, "|")
}

// Event is one event of a watched path.
type Event struct {
	Name string
	Op   Op
}

// Has tells whether the event has all of op.
func (e Event) Has(op Op) bool { return e.Op.Has(op) }

func (e Event) String() string { return e.Op.String() + " " + e.Name }

// Backend tells events instead of the kernel.
type Backend interface {
	// Path is what the next watcher will watch, empty if nobody knows.
	Path() string
	// Watch calls tell for each event of path, and with an error at the end of the
	// watch. What it returns ends the watch.
	Watch(path string, tell func(ops []string, name string, err error)) (func(), error)
}

var backend Backend

// Use takes events from b from now on.
func Use(b Backend) { backend = b }

// Watcher watches paths.
type Watcher struct {
	Events chan Event
	Errors chan error

	first   *attempt // at what the watcher will watch
	lock    sync.Mutex
	cancels map[string]func()
	queue   []told
	more    chan struct{}
	done    chan struct{}
	closed  bool
}

type told struct {
	event Event
	err   error
}

// attempt is a watch that was asked for, and what came of it.
type attempt struct {
	path   string
	cancel func()
	err    error
}

func (a *attempt) end() {
	if a.err == nil {
		a.cancel()
	}
}

// NewWatcher makes a watcher. The kernel would say here that there are too many of them,
// and all other errors of a watch in Add; so the watch is asked for now.
func NewWatcher() (*Watcher, error) {
	w := &Watcher{
		Events:  make(chan Event),
		Errors:  make(chan error),
		cancels: map[string]func(){},
		more:    make(chan struct{}, 1),
		done:    make(chan struct{}),
	}
	if path := backend.Path(); path != "" {
		w.first = w.attempt(path)
		if errors.Is(w.first.err, syscall.EMFILE) || errors.Is(w.first.err, syscall.ENFILE) {
			return nil, w.first.err
		}
	}
	go w.deliver()
	return w, nil
}

func (w *Watcher) attempt(path string) *attempt {
	cancel, err := backend.Watch(path, w.tell)
	return &attempt{path, cancel, err}
}

// Add watches a path.
func (w *Watcher) Add(path string) error {
	made := w.first
	w.first = nil
	if made != nil && made.path != path {
		made.end()
		made = nil
	}
	if made == nil {
		made = w.attempt(path)
	}
	if made.err != nil {
		return made.err
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	w.cancels[path] = made.cancel
	return nil
}

// Remove ends the watch of a path.
func (w *Watcher) Remove(path string) error {
	w.lock.Lock()
	defer w.lock.Unlock()
	cancel, known := w.cancels[path]
	if !known {
		return ErrNonExistentWatch
	}
	delete(w.cancels, path)
	cancel()
	return nil
}

// Close ends all watches.
func (w *Watcher) Close() error {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	close(w.done)
	for _, cancel := range w.cancels {
		cancel()
	}
	return nil
}

// WatchList returns the watched paths.
func (w *Watcher) WatchList() []string {
	w.lock.Lock()
	defer w.lock.Unlock()
	paths := make([]string, 0, len(w.cancels))
	for path := range w.cancels {
		paths = append(paths, path)
	}
	return paths
}

// tell takes a told event without waiting, as the kernel's queue does.
func (w *Watcher) tell(names []string, path string, err error) {
	event := Event{Name: path}
	for _, name := range names {
		event.Op |= ops[name]
	}
	w.lock.Lock()
	w.queue = append(w.queue, told{event, err})
	w.lock.Unlock()
	select {
	case w.more <- struct{}{}:
	default:
	}
}

// deliver sends what was told, in order, when it is read.
func (w *Watcher) deliver() {
	for {
		select {
		case <-w.more:
		case <-w.done:
			return
		}
		for _, next := range w.take() {
			if !w.send(next) {
				return
			}
		}
	}
}

func (w *Watcher) take() []told {
	w.lock.Lock()
	defer w.lock.Unlock()
	queue := w.queue
	w.queue = nil
	return queue
}

func (w *Watcher) send(next told) bool {
	if next.err != nil {
		select {
		case w.Errors <- next.err:
			return true
		case <-w.done:
			return false
		}
	}
	select {
	case w.Events <- next.event:
		return true
	case <-w.done:
		return false
	}
}
