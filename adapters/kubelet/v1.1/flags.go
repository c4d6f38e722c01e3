package main

import (
	"io/ioutil"

	"github.com/spf13/pflag"
	"k8s.io/kubernetes/cmd/kubelet/app"
	nodeutil "k8s.io/kubernetes/pkg/util/node"

	"podsource/protocol"
)

func newFlags(*protocol.World, protocol.Config) (protocol.Object, error) {
	return protocol.Object{
		"parse_flags": protocol.Bind(parseFlags),
		"parse_config": protocol.Bind(func(struct{}) (any, error) {
			return nil, protocol.Refused("kubelet 1.1 has no configuration file", false)
		}),
	}, nil
}

type flagArguments struct {
	Argv   []string        `json:"argv"`
	Config protocol.Config `json:"config"`
}

func parseFlags(a flagArguments) (any, error) {
	server := app.NewKubeletServer()
	set := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
	set.SetOutput(ioutil.Discard)
	server.AddFlags(set)
	if err := set.Parse(a.Argv); err != nil {
		return nil, protocol.Refused(err.Error(), false)
	}
	// With these it makes no certificate.
	server.TLSCertFile, server.TLSPrivateKeyFile = "unused", "unused"
	settings, err := server.KubeletConfig()
	if err != nil {
		return nil, protocol.Refused(err.Error(), false)
	}
	// As NewMainKubelet does, which is not linked.
	if settings.SyncFrequency <= 0 {
		return nil, protocol.Refused("invalid sync frequency "+settings.SyncFrequency.String(), false)
	}
	hostname := settings.HostnameOverride
	if hostname == "" {
		hostname = a.Config.NodeName
	}
	return map[string]any{
		"file_path":      settings.ConfigFile,
		"file_period_ns": settings.FileCheckFrequency.Nanoseconds(),
		"url":            settings.ManifestURL,
		"http_period_ns": settings.HTTPCheckFrequency.Nanoseconds(),
		"url_headers":    settings.ManifestURLHeader,
		"sync_period_ns": settings.SyncFrequency.Nanoseconds(),
		"node_name":      nodeutil.GetHostname(hostname),
	}, nil
}
