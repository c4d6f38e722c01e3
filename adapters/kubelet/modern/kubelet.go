// Package modern is what the adapters of the kubelets from 1.20 on have in common. It
// is compiled with the Kubernetes modules of each adapter, so the types are that
// kubelet's own; what differs between them is handed in by a Kubelet.
package modern

import (
	"encoding/json"
	"net/http"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/capabilities"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"podsource/protocol"
)

// Kubelet is what differs between the kubelets.
type Kubelet struct {
	Version  string
	Features []string // beyond those that all have
	Begin    func(w *protocol.World)
	Set      kubetypes.PodOperation // the number of SET, where there is one

	NewBackoff   func(config protocol.Config) (*flowcontrol.Backoff, error)
	NewPodConfig func(w *protocol.World, mode string) (PodConfig, error)
	StartAlone   func(w *protocol.World, source string, config protocol.Config)
	NewReady     func(ask func(names []string) bool) (add func(string), ready func() bool)
	Decode       func(w *protocol.World, manifest Manifest) (parsed bool, pod *v1.Pod, err error)
	DecodeList   func(w *protocol.World, manifest Manifest) (parsed bool, pods []v1.Pod, err error)
	StartLoop    func(w *protocol.World, updates <-chan kubetypes.PodUpdate)
	NodeName     func(hostname string) (string, error)
	ReadConfig   func(path string, data []byte) (Settings, error)
}

// PodConfig is the kubelet's PodConfig, its channels included.
type PodConfig interface {
	Channel(source string)
	Put(source, op string, pods []*v1.Pod)
	Start(source string, config protocol.Config)
	SeenAllSources(seen []string) bool
	Sync() error
	Updates() <-chan kubetypes.PodUpdate
}

// Serve serves the suite on standard input and output.
func Serve(kubelet Kubelet) {
	// As RunKubelet does, which is not called: a pod may be privileged.
	capabilities.Initialize(capabilities.Capabilities{AllowPrivileged: true})
	protocol.Main(protocol.Kubelet{
		Version:  kubelet.Version,
		Features: append([]string{"back-pressure", "logs", "nil-and-empty", "resource-versions", "watch-failures"}, kubelet.Features...),
		Components: map[string]protocol.Factory{
			"backoff":   kubelet.backoff,
			"manifest":  kubelet.manifest,
			"file":      kubelet.alone("file"),
			"http":      kubelet.alone("http"),
			"api":       kubelet.alone("api"),
			"podconfig": kubelet.podConfig,
			"sources":   kubelet.sources,
			"ready":     kubelet.ready,
			"syncloop":  kubelet.syncLoop,
			"flags":     kubelet.flags,
		},
		Begin: func(w *protocol.World) {
			standIn(w)
			kubelet.Begin(w)
		},
		Native: native,
	})
}

// Client is a client of the world's apiserver, without a limit of its own.
func Client(w *protocol.World) kubernetes.Interface {
	config := &rest.Config{Host: "http://apiserver", Transport: w.Apiserver(), QPS: -1}
	return kubernetes.NewForConfigOrDie(config)
}

// Synced asks whether the node has been found at the apiserver.
func Synced(w *protocol.World) func() bool {
	return func() bool {
		answer, err := w.Ask("node_has_synced")
		return err == nil && answer == true
	}
}

// Header is the header that a manifest URL is asked with.
func Header(config protocol.Config) http.Header {
	header := http.Header{}
	for _, pair := range config.Headers {
		header.Add(pair[0], pair[1])
	}
	return header
}

// Pods reads pods from the wire.
func Pods(texts []json.RawMessage) ([]*v1.Pod, error) {
	pods := make([]*v1.Pod, 0, len(texts))
	for _, text := range texts {
		pod := &v1.Pod{}
		if err := json.Unmarshal(text, pod); err != nil {
			return nil, protocol.BadParams("pods: %v", err)
		}
		pods = append(pods, pod)
	}
	return pods, nil
}

// Plain are pods as the wire has them.
func Plain(pods []*v1.Pod) []any {
	plain := make([]any, 0, len(pods))
	for _, pod := range pods {
		plain = append(plain, protocol.Pod(pod))
	}
	return plain
}

type names struct {
	Seen []string `json:"seen"`
}

type source struct {
	Source string `json:"source"`
}

type nothing struct{}
