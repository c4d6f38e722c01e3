package modern

import (
	"encoding/json"

	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"podsource/protocol"
)

// operations are the names of those operations that all kubelets have; the numbers
// differ from version to version.
var operations = map[kubetypes.PodOperation]string{
	kubetypes.ADD:       "ADD",
	kubetypes.DELETE:    "DELETE",
	kubetypes.REMOVE:    "REMOVE",
	kubetypes.UPDATE:    "UPDATE",
	kubetypes.RECONCILE: "RECONCILE",
}

// Operation is the name of an operation; the one that isn't known is SET, which is gone
// from the newer kubelets.
func Operation(op kubetypes.PodOperation) string {
	if name, known := operations[op]; known {
		return name
	}
	return "SET"
}

// Named is the operation of a name that all kubelets have.
func Named(name string) (kubetypes.PodOperation, bool) {
	for op, known := range operations {
		if known == name {
			return op, true
		}
	}
	return 0, false
}

func (k Kubelet) merged(w *protocol.World, config protocol.Config) (PodConfig, error) {
	podConfig, err := k.NewPodConfig(w, config.Mode)
	if err != nil {
		return nil, err
	}
	protocol.Read(w, podConfig.Updates(), func(update kubetypes.PodUpdate) {
		w.Send(update.Source, Operation(update.Op), Plain(update.Pods))
	})
	return podConfig, nil
}

func (k Kubelet) podConfig(w *protocol.World, config protocol.Config) (protocol.Object, error) {
	podConfig, err := k.merged(w, config)
	if err != nil {
		return nil, err
	}
	for _, name := range config.Sources {
		podConfig.Channel(name)
	}
	return protocol.Object{
		"channel": protocol.Bind(func(s source) (any, error) {
			podConfig.Channel(s.Source)
			return nil, nil
		}),
		"send": protocol.Bind(func(s set) (any, error) {
			return nil, s.put(w, podConfig)
		}),
		"seen_all_sources": seenAll(podConfig),
		"sync": func(json.RawMessage) (any, error) {
			return nil, podConfig.Sync()
		},
	}, nil
}

type set struct {
	SendID int64             `json:"send_id"`
	Source string            `json:"source"`
	Op     string            `json:"op"`
	Pods   []json.RawMessage `json:"pods"`
}

func (s set) put(w *protocol.World, podConfig PodConfig) error {
	pods, err := Pods(s.Pods)
	if err != nil {
		return err
	}
	podConfig.Channel(s.Source)
	go func() {
		podConfig.Put(s.Source, s.Op, pods)
		w.Taken(s.SendID)
	}()
	return nil
}

func seenAll(podConfig PodConfig) protocol.Method {
	return protocol.Bind(func(n names) (any, error) {
		return podConfig.SeenAllSources(n.Seen), nil
	})
}
