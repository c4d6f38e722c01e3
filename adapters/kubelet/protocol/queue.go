package protocol

import (
	"context"
	"encoding/json"
	"sync"
)

// queue keeps what was told until it is taken; to put something in never waits.
type queue struct {
	lock  sync.Mutex
	items []json.RawMessage
	more  chan struct{}
}

func newQueue() *queue { return &queue{more: make(chan struct{}, 1)} }

func (q *queue) put(item json.RawMessage) {
	q.lock.Lock()
	q.items = append(q.items, item)
	q.lock.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// putBack makes what was taken the next one again.
func (q *queue) putBack(item json.RawMessage) {
	q.lock.Lock()
	q.items = append([]json.RawMessage{item}, q.items...)
	q.lock.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// take waits for the next item; false when the context has ended.
func (q *queue) take(ctx context.Context) (json.RawMessage, bool) {
	for {
		q.lock.Lock()
		if len(q.items) > 0 {
			item := q.items[0]
			q.items = q.items[1:]
			q.lock.Unlock()
			return item, true
		}
		q.lock.Unlock()
		select {
		case <-q.more:
		case <-ctx.Done():
			return nil, false
		}
	}
}
