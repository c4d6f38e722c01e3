// Package wholesets is what the adapters of those kubelets have in common whose sources
// send nothing but whole sets to PodConfig: all from 1.36 on.
package wholesets

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/record"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/config"

	"podsource/modern"
	"podsource/modern/structured"
	"podsource/protocol"
)

type podConfig struct {
	*config.PodConfig
	world   *protocol.World
	context context.Context
	seen    func(w *protocol.World, podConfig *config.PodConfig, names sets.Set[string]) bool
}

func (k Kubelet) newPodConfig(w *protocol.World, _ string) (modern.PodConfig, error) {
	return podConfig{
		PodConfig: k.NewPodConfig(recorder{modern.Recorder{World: w}}),
		world:     w,
		context:   klog.NewContext(context.Background(), structured.Logger(w)),
		seen:      k.Seen,
	}, nil
}

func (p podConfig) Channel(source string) { p.PodConfig.Channel(p.context, source) }

// Put sends a whole set: these kubelets' sources have no operations.
func (p podConfig) Put(source, _ string, pods []*v1.Pod) {
	put(p.PodConfig.Channel(p.context, source), pods)
}

func (p podConfig) Start(source string, c protocol.Config) { start(p.world, source, c, &p) }

func (p podConfig) SeenAllSources(names []string) bool {
	return p.seen(p.world, p.PodConfig, sets.New(names...))
}

func (p podConfig) Sync() error { return protocol.Unknown("this kubelet has no Sync") }

// startAlone starts a source whose sets the adapter reads itself.
func startAlone(w *protocol.World, source string, c protocol.Config) { start(w, source, c, nil) }

// start starts a source that sends to PodConfig or, where there is none, to us.
func start(w *protocol.World, source string, c protocol.Config, to *podConfig) {
	own := channelLike((*config.PodConfig).Channel)
	updates := sending(own)
	if to != nil {
		updates = to.PodConfig.Channel(to.context, source)
	} else {
		read(w, source, own)
	}
	logger, node, period := structured.Logger(w), types.NodeName(c.NodeName), time.Duration(c.PeriodNS)
	switch source {
	case "file":
		config.NewSourceFile(logger, c.Path, node, period, updates)
	case "http":
		config.NewSourceURL(logger, c.URL, modern.Header(c), node, period, updates)
	case "api":
		config.NewSourceApiserver(logger, modern.Client(w), node, modern.Synced(w), updates)
	}
}

// set is what a source sends: a type of the kubelet's that only inference can name.
type set interface {
	~struct{ Pods []*v1.Pod }
}

func channelLike[T set](func(*config.PodConfig, context.Context, string) chan<- T) chan T {
	return make(chan T)
}

func sending[T set](channel chan T) chan<- T { return channel }

func read[T set](w *protocol.World, source string, in chan T) {
	protocol.Read(w, in, func(update T) {
		w.Send(source, "SET", modern.Plain(struct{ Pods []*v1.Pod }(update).Pods))
	})
}

func put[T set](channel chan<- T, pods []*v1.Pod) {
	channel <- T(struct{ Pods []*v1.Pod }{pods})
}

// recorder is modern.Recorder with the method that these kubelets ask for besides.
type recorder struct{ modern.Recorder }

func (r recorder) WithLogger(klog.Logger) record.EventRecorderLogger { return r }
