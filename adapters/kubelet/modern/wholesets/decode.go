package wholesets

import (
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	api "k8s.io/kubernetes/pkg/apis/core"

	"podsource/modern"
	"podsource/modern/structured"
	"podsource/protocol"
)

// decode decodes a manifest as the kubelet's sources do.
func decode(w *protocol.World, m modern.Manifest) (bool, *v1.Pod, error) {
	return tryDecodeSinglePod(structured.Logger(w), m.Data, defaults(m))
}

// decodeList decodes a list of pods as the kubelet's URL source does.
func decodeList(w *protocol.World, m modern.Manifest) (bool, []v1.Pod, error) {
	parsed, list, err := tryDecodePodList(structured.Logger(w), m.Data, defaults(m))
	return parsed, list.Items, err
}

func defaults(m modern.Manifest) func(klog.Logger, *api.Pod) error {
	return func(logger klog.Logger, pod *api.Pod) error {
		return applyDefaults(logger, pod, m.Source, m.IsFile, types.NodeName(m.NodeName))
	}
}

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(logger klog.Logger, pod *api.Pod, source string, isFile bool, nodeName types.NodeName) error

//go:linkname tryDecodeSinglePod k8s.io/kubernetes/pkg/kubelet/config.tryDecodeSinglePod
func tryDecodeSinglePod(logger klog.Logger, data []byte, defaults func(klog.Logger, *api.Pod) error) (bool, *v1.Pod, error)

//go:linkname tryDecodePodList k8s.io/kubernetes/pkg/kubelet/config.tryDecodePodList
func tryDecodePodList(logger klog.Logger, data []byte, defaults func(klog.Logger, *api.Pod) error) (bool, v1.PodList, error)
