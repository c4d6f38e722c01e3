package main

import (
	"encoding/json"
	_ "unsafe" // for go:linkname

	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/api/v1"

	"podsource/protocol"
)

// pod is a pod as the wire has it. This kubelet works with internal objects; they are
// told as v1 has them.
func pod(internal *api.Pod) any {
	external := &v1.Pod{}
	if err := api.Scheme.Convert(internal, external); err != nil {
		panic(err)
	}
	return protocol.Pod(external)
}

func pods(internal []*api.Pod) []any {
	list := make([]any, 0, len(internal))
	for _, each := range internal {
		list = append(list, pod(each))
	}
	return list
}

// internal reads pods from the wire, with the defaults that this kubelet's conversion
// from v1 always sets.
func internal(texts []json.RawMessage) ([]*api.Pod, error) {
	list := make([]*api.Pod, 0, len(texts))
	for _, text := range texts {
		read := &api.Pod{}
		if err := api.Scheme.DecodeIntoWithSpecifiedVersionKind(text, read, "v1", "Pod"); err != nil {
			return nil, protocol.BadParams("pods: %v", err)
		}
		list = append(list, read)
	}
	return list, nil
}

type arguments struct {
	Data   []byte          `json:"data"`
	Config protocol.Config `json:"config"`
}

// defaults are a file source's, unless the config has a URL and no path.
func (a arguments) defaults() func(*api.Pod) error {
	c := a.Config
	source, isFile := c.Path, true
	if c.Path == "" && c.URL != "" {
		source, isFile = c.URL, false
	}
	return func(pod *api.Pod) error { return applyDefaults(pod, source, isFile, c.NodeName) }
}

func newManifest(*protocol.World, protocol.Config) (protocol.Object, error) {
	return protocol.Object{
		"decode_manifest": protocol.Bind(func(a arguments) (any, error) {
			parsed, decoded, err := tryDecodeSinglePod(a.Data, a.defaults())
			if err != nil {
				return nil, protocol.Refused(err.Error(), parsed)
			}
			return pod(decoded), nil
		}),
		"decode_manifest_list": protocol.Bind(func(a arguments) (any, error) {
			parsed, decoded, err := tryDecodePodList(a.Data, a.defaults())
			if err != nil {
				return nil, protocol.Refused(err.Error(), parsed)
			}
			list := []any{}
			for i := range decoded.Items {
				list = append(list, pod(&decoded.Items[i]))
			}
			return list, nil
		}),
	}, nil
}

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(pod *api.Pod, source string, isFile bool, nodeName string) error

//go:linkname tryDecodeSinglePod k8s.io/kubernetes/pkg/kubelet/config.tryDecodeSinglePod
func tryDecodeSinglePod(data []byte, defaults func(*api.Pod) error) (bool, *api.Pod, error)

//go:linkname tryDecodePodList k8s.io/kubernetes/pkg/kubelet/config.tryDecodePodList
func tryDecodePodList(data []byte, defaults func(*api.Pod) error) (bool, api.PodList, error)
