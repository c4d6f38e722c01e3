package modern

import (
	"encoding/json"
	"slices"

	"podsource/protocol"
)

// order is the order in which the kubelet makes its sources.
var order = []string{"file", "http", "api"}

// alone makes a source whose sets the adapter reads itself.
func (k Kubelet) alone(name string) protocol.Factory {
	return func(w *protocol.World, config protocol.Config) (protocol.Object, error) {
		return protocol.Object{"start": func(json.RawMessage) (any, error) {
			k.StartAlone(w, name, config)
			return nil, nil
		}}, nil
	}
}

// sources makes the sources and PodConfig as one, in the order of the kubelet's own
// makePodSourceConfig. Each source comes to rest before the next one is made: what they
// do at one instant has no order of its own.
func (k Kubelet) sources(w *protocol.World, config protocol.Config) (protocol.Object, error) {
	podConfig, err := k.merged(w, config)
	if err != nil {
		return nil, err
	}
	return protocol.Object{
		"start": func(json.RawMessage) (any, error) {
			for _, name := range order {
				if slices.Contains(config.Sources, name) {
					podConfig.Start(name, config)
					w.Rest()
				}
			}
			return nil, nil
		},
		"seen_all_sources": seenAll(podConfig),
	}, nil
}

func (k Kubelet) ready(w *protocol.World, _ protocol.Config) (protocol.Object, error) {
	var failed error
	add, ready := k.NewReady(func(seen []string) bool {
		answer, err := w.Ask("seen_all_sources", seen)
		failed = err
		return answer == true
	})
	return protocol.Object{
		"add_source": protocol.Bind(func(s source) (any, error) {
			add(s.Source)
			return nil, nil
		}),
		"all_ready": func(json.RawMessage) (any, error) {
			return ready(), failed
		},
	}, nil
}
