// The adapter over kubelet 1.30: what differs from the other kubelets.

//go:debug randseednop=0
package main

import (
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
		Version:    "1.30.14",
		NewBackoff: newBackoff,
		NodeName:   nodeutil.GetHostname,
		ReadConfig: settings.Read(configfiles.Loader.Load),
	}, seenAll, newReady)
}

func newBackoff(c protocol.Config) (*flowcontrol.Backoff, error) {
	if c.ExpiresAfterNS != nil {
		return nil, protocol.Refused("the backoff of kubelet 1.30 has no expiry of its own", false)
	}
	return flowcontrol.NewBackOffWithJitter(modern.Duration(c.InitialNS), modern.Duration(c.MaxNS), c.JitterFactor), nil
}

func seenAll(podConfig *config.PodConfig, names []string) bool {
	return podConfig.SeenAllSources(sets.NewString(names...))
}

func newReady(ask func([]string) bool) config.SourcesReady {
	return config.NewSourcesReady(func(seen sets.String) bool { return ask(seen.List()) })
}
