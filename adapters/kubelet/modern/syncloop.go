package modern

import (
	"encoding/json"

	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"podsource/protocol"
)

// buffered is how many messages PodConfig's channel to the sync loop holds.
const buffered = 50

type delivery struct {
	Update *set `json:"update"`
}

func (k Kubelet) syncLoop(w *protocol.World, _ protocol.Config) (protocol.Object, error) {
	updates := make(chan kubetypes.PodUpdate, buffered)
	return protocol.Object{
		"start": func(json.RawMessage) (any, error) {
			k.StartLoop(w, updates)
			return nil, nil
		},
		"deliver": protocol.Bind(func(d delivery) (any, error) {
			if d.Update == nil {
				close(updates)
				return nil, nil
			}
			pods, err := Pods(d.Update.Pods)
			if err != nil {
				return nil, err
			}
			op, known := Named(d.Update.Op)
			if !known {
				op = k.Set
			}
			update := kubetypes.PodUpdate{Pods: pods, Op: op, Source: d.Update.Source}
			go func() { updates <- update }()
			return nil, nil
		}),
	}, nil
}
