package fsnotify

import (
	"errors"
	"syscall"
	"testing"
)

type teller struct {
	tell      func(ops []string, name string, err error)
	path      string
	fault     error
	asked     []string
	cancelled int
}

func (b *teller) Path() string { return b.path }

func (b *teller) Watch(path string, tell func([]string, string, error)) (func(), error) {
	b.tell = tell
	b.asked = append(b.asked, path)
	return func() { b.cancelled++ }, b.fault
}

func TestEventsComeInOrderAndWithoutWaiting(t *testing.T) {
	told := &teller{}
	Use(told)
	w, _ := NewWatcher()
	w.Add("/m")

	told.tell([]string{"create"}, "/m/a", nil)
	told.tell([]string{"chmod", "write"}, "/m/b", nil)
	told.tell(nil, "", ErrEventOverflow)

	if e := <-w.Events; e != (Event{"/m/a", Create}) {
		t.Errorf("the first event is %v", e)
	}
	if e := <-w.Events; e != (Event{"/m/b", Write | Chmod}) || !e.Has(Chmod) || e.Has(Remove) {
		t.Errorf("the second event is %v", e)
	}
	if err := <-w.Errors; err != ErrEventOverflow {
		t.Errorf("the error is %v", err)
	}
}

func TestAddFailsAsOrdered(t *testing.T) {
	Use(&teller{fault: syscall.ENOSPC})
	w, _ := NewWatcher()

	if err := w.Add("/m"); !errors.Is(err, syscall.ENOSPC) || len(w.WatchList()) != 0 {
		t.Errorf("Add gave %v, watched is %v", err, w.WatchList())
	}
}

func TestTooManyWatchersAreAnErrorOfNewWatcher(t *testing.T) {
	for fault, of := range map[error]string{syscall.EMFILE: "NewWatcher", syscall.ENFILE: "NewWatcher", syscall.ENOSPC: "Add"} {
		told := &teller{path: "/m", fault: fault}
		Use(told)

		w, err := NewWatcher()

		if got := errors.Is(err, fault); got != (of == "NewWatcher") {
			t.Errorf("NewWatcher gave %v, not %v as an error of %s", err, fault, of)
		}
		if err == nil && !errors.Is(w.Add("/m"), fault) {
			t.Errorf("Add didn't give %v", fault)
		}
		if len(told.asked) != 1 {
			t.Errorf("asked was for %v", told.asked)
		}
	}
}

func TestAnotherPathIsAskedForByAdd(t *testing.T) {
	told := &teller{path: "/m"}
	Use(told)
	w, _ := NewWatcher()

	w.Add("/n")

	if len(told.asked) != 2 || told.cancelled != 1 || w.WatchList()[0] != "/n" {
		t.Errorf("asked was for %v, cancelled %d times, watched is %v", told.asked, told.cancelled, w.WatchList())
	}
}

func TestCloseEndsTheWatchesOnce(t *testing.T) {
	told := &teller{}
	Use(told)
	w, _ := NewWatcher()
	w.Add("/m")

	w.Close()
	w.Close()

	if told.cancelled != 1 {
		t.Errorf("it was cancelled %d times", told.cancelled)
	}
}

func TestRemoveEndsAWatch(t *testing.T) {
	told := &teller{}
	Use(told)
	w, _ := NewWatcher()
	w.Add("/m")

	first, second := w.Remove("/m"), w.Remove("/m")

	if first != nil || second != ErrNonExistentWatch || told.cancelled != 1 {
		t.Errorf("Remove gave %v, %v; cancelled %d times", first, second, told.cancelled)
	}
}
