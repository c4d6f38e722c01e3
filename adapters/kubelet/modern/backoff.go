package modern

import (
	"encoding/json"
	"time"

	"podsource/protocol"
)

type entry struct {
	ID      string `json:"id"`
	EventNS int64  `json:"event_ns"`
}

func (k Kubelet) backoff(w *protocol.World, config protocol.Config) (protocol.Object, error) {
	backoff, err := k.NewBackoff(config)
	if err != nil {
		return nil, err
	}
	return protocol.Object{
		"next": protocol.Bind(func(e entry) (any, error) {
			backoff.Next(e.ID, w.At(e.EventNS))
			return nil, nil
		}),
		"get": protocol.Bind(func(e entry) (any, error) {
			return backoff.Get(e.ID).Nanoseconds(), nil
		}),
		"reset": protocol.Bind(func(e entry) (any, error) {
			backoff.Reset(e.ID)
			return nil, nil
		}),
		"delete_entry": protocol.Bind(func(e entry) (any, error) {
			backoff.DeleteEntry(e.ID)
			return nil, nil
		}),
		"gc": func(json.RawMessage) (any, error) {
			backoff.GC()
			return nil, nil
		},
		"is_in_backoff_since": protocol.Bind(func(e entry) (any, error) {
			return backoff.IsInBackOffSince(e.ID, w.At(e.EventNS)), nil
		}),
		"is_in_backoff_since_update": protocol.Bind(func(e entry) (any, error) {
			return backoff.IsInBackOffSinceUpdate(e.ID, w.At(e.EventNS)), nil
		}),
	}, nil
}

// Duration is a number of nanoseconds as a duration.
func Duration(ns int64) time.Duration { return time.Duration(ns) }

// Expiry is the rule by which an entry expires, nil for the kubelet's own.
func Expiry(config protocol.Config) func(event, update time.Time, max time.Duration) bool {
	if config.ExpiresAfterNS == nil {
		return nil
	}
	idle := time.Duration(*config.ExpiresAfterNS)
	return func(event, update time.Time, _ time.Duration) bool {
		return event.Sub(update) > idle
	}
}
