// Package operations is what the adapters of those kubelets have in common whose sources
// send operations to PodConfig: all before 1.36.
package operations

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/config"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"

	"podsource/modern"
	"podsource/protocol"
)

// Features are the levels that these kubelets offer besides.
var Features = []string{"notification-modes", "source-operations"}

// Channel is a channel of PodConfig's; a kubetypes.PodUpdate goes through it.
type Channel = chan<- interface{}

// Start starts a source that sends to a channel.
type Start func(w *protocol.World, source string, c protocol.Config, to Channel)

// PodConfig is the kubelet's PodConfig, with what differs between the kubelets handed in.
type PodConfig struct {
	*config.PodConfig
	World     *protocol.World
	ChannelOf func(source string) Channel
	Seen      func(names []string) bool
	StartInto Start
}

// Channel makes the channel of a source.
func (p PodConfig) Channel(source string) { p.ChannelOf(source) }

// Put sends an operation and waits until PodConfig has taken it.
func (p PodConfig) Put(source, op string, pods []*v1.Pod) {
	operation, known := modern.Named(op)
	if !known {
		operation = kubetypes.SET
	}
	p.ChannelOf(source) <- kubetypes.PodUpdate{Pods: pods, Op: operation, Source: source}
}

// Start starts a source into its channel.
func (p PodConfig) Start(source string, c protocol.Config) {
	p.StartInto(p.World, source, c, p.ChannelOf(source))
}

// SeenAllSources tells whether every source has delivered and is among the names.
func (p PodConfig) SeenAllSources(names []string) bool { return p.Seen(names) }

// Sync asks for the pods of all sources. It may wait for the reader, so it doesn't run
// where the suite's requests are carried out.
func (p PodConfig) Sync() error {
	go p.PodConfig.Sync()
	return nil
}

// Mode is a mode of notification; one that isn't known is the kubelet's unknown.
func Mode(name string) config.PodConfigNotificationMode {
	return map[string]config.PodConfigNotificationMode{
		"incremental":          config.PodConfigNotificationIncremental,
		"snapshot":             config.PodConfigNotificationSnapshot,
		"snapshot-and-updates": config.PodConfigNotificationSnapshotAndUpdates,
	}[name]
}

// Alone starts sources with a channel of our own in PodConfig's place.
func Alone(start Start) func(*protocol.World, string, protocol.Config) {
	return func(w *protocol.World, source string, c protocol.Config) {
		updates := make(chan interface{})
		protocol.Read(w, updates, func(update interface{}) {
			sent := update.(kubetypes.PodUpdate)
			w.Send(sent.Source, modern.Operation(sent.Op), modern.Plain(sent.Pods))
		})
		start(w, source, c, updates)
	}
}
