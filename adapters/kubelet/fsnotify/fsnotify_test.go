package fsnotify

import (
	"errors"
	"syscall"
	"testing"
)

type teller struct {
	tell      func(ops []string, name string, err error)
	fault     error
	cancelled int
}

func (b *teller) Watch(_ string, tell func([]string, string, error)) (func(), error) {
	b.tell = tell
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
