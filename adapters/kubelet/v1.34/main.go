// The adapter over kubelet 1.34: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
	"context"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/flowcontrol"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/configfiles"

	"podsource/modern"
	"podsource/modern/contexts"
	"podsource/modern/settings"
	"podsource/protocol"
)

func main() {
	contexts.Serve(modern.Kubelet{
		Version:    "1.34.0",
		NewBackoff: newBackoff,
		NodeName:   nodeutil.GetHostname,
		ReadConfig: settings.Read(load),
	}, seenAll, newReady)
}

func newBackoff(c protocol.Config) (*flowcontrol.Backoff, error) {
	backoff := flowcontrol.NewBackOffWithJitter(modern.Duration(c.InitialNS), modern.Duration(c.MaxNS), c.JitterFactor)
	backoff.HasExpiredFunc = modern.Expiry(c)
	return backoff, nil
}

func seenAll(podConfig *config.PodConfig, names []string) bool {
	return podConfig.SeenAllSources(sets.New(names...))
}

func newReady(ask func([]string) bool) config.SourcesReady {
	return config.NewSourcesReady(func(seen sets.Set[string]) bool { return ask(sets.List(seen)) })
}

func load(loader configfiles.Loader) (modern.Settings, error) {
	return loader.Load(context.Background())
}
