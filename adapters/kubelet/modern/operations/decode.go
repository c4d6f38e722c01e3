package operations

import (
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	api "k8s.io/kubernetes/pkg/apis/core"

	"podsource/modern"
	"podsource/protocol"
)

// Decode decodes a manifest as the kubelet's sources do.
func Decode(_ *protocol.World, m modern.Manifest) (bool, *v1.Pod, error) {
	return tryDecodeSinglePod(m.Data, defaults(m))
}

// DecodeList decodes a list of pods as the kubelet's URL source does.
func DecodeList(_ *protocol.World, m modern.Manifest) (bool, []v1.Pod, error) {
	parsed, list, err := tryDecodePodList(m.Data, defaults(m))
	return parsed, list.Items, err
}

func defaults(m modern.Manifest) func(*api.Pod) error {
	return func(pod *api.Pod) error {
		return applyDefaults(pod, m.Source, m.IsFile, types.NodeName(m.NodeName))
	}
}

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(pod *api.Pod, source string, isFile bool, nodeName types.NodeName) error

//go:linkname tryDecodeSinglePod k8s.io/kubernetes/pkg/kubelet/config.tryDecodeSinglePod
func tryDecodeSinglePod(data []byte, defaults func(*api.Pod) error) (bool, *v1.Pod, error)

//go:linkname tryDecodePodList k8s.io/kubernetes/pkg/kubelet/config.tryDecodePodList
func tryDecodePodList(data []byte, defaults func(*api.Pod) error) (bool, v1.PodList, error)
