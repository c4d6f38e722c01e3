package modern

import (
	"bytes"
	"fmt"
	"io"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/kubernetes/cmd/kubelet/app/options"
	kubeletconfig "k8s.io/kubernetes/pkg/kubelet/apis/config"
	"sigs.k8s.io/yaml"

	"podsource/protocol"
)

// Settings are the kubelet's settings as a configuration file makes them.
type Settings = *kubeletconfig.KubeletConfiguration

func (k Kubelet) flags(*protocol.World, protocol.Config) (protocol.Object, error) {
	return protocol.Object{
		"parse_flags":  protocol.Bind(k.parseFlags),
		"parse_config": protocol.Bind(k.parseConfig),
	}, nil
}

type flagArguments struct {
	Argv   []string        `json:"argv"`
	Config protocol.Config `json:"config"`
}

func (k Kubelet) parseFlags(a flagArguments) (any, error) {
	flags := options.NewKubeletFlags()
	settings, err := options.NewKubeletConfiguration()
	if err != nil {
		return nil, err
	}
	set := pflag.NewFlagSet("kubelet", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	flags.AddFlags(set)
	options.AddKubeletConfigFlags(set, settings)
	if err := set.Parse(a.Argv); err != nil {
		return nil, protocol.Refused(err.Error(), false)
	}
	if len(set.Args()) > 0 {
		return nil, protocol.Refused("unknown command "+set.Args()[0], false)
	}
	hostname := flags.HostnameOverride
	if hostname == "" {
		hostname = a.Config.NodeName
	}
	node, err := k.NodeName(hostname)
	if err != nil {
		return nil, protocol.Refused(err.Error(), false)
	}
	mapping, err := mapping(settings)
	if err == nil {
		mapping["node_name"] = node
	}
	return mapping, err
}

func (k Kubelet) parseConfig(a manifestArguments) (any, error) {
	settings, err := k.ReadConfig(a.Config.Path, withKind(a.Data))
	if err != nil {
		return nil, protocol.Refused(err.Error(), false)
	}
	return mapping(settings)
}

// mapping refuses a sync period as NewMainKubelet does, which is not linked.
func mapping(settings Settings) (map[string]any, error) {
	if settings.SyncFrequency.Duration <= 0 {
		text := fmt.Sprintf("invalid sync frequency %d", settings.SyncFrequency.Duration)
		return nil, protocol.Refused(text, false)
	}
	headers := [][2]string{}
	for name, values := range settings.StaticPodURLHeader {
		for _, value := range values {
			headers = append(headers, [2]string{name, value})
		}
	}
	return map[string]any{
		"file_path":      settings.StaticPodPath,
		"file_period_ns": settings.FileCheckFrequency.Nanoseconds(),
		"url":            settings.StaticPodURL,
		"http_period_ns": settings.HTTPCheckFrequency.Nanoseconds(),
		"url_headers":    Header(protocol.Config{Headers: headers}),
		"sync_period_ns": settings.SyncFrequency.Nanoseconds(),
	}, nil
}

// withKind gives a configuration file its kind and apiVersion where a case leaves them
// out; the kubelet insists on both.
func withKind(data []byte) []byte {
	var fields map[string]any
	if yaml.Unmarshal(data, &fields) != nil {
		return data
	}
	if fields == nil {
		fields = map[string]any{}
	}
	head := map[string]string{"kind": "KubeletConfiguration", "apiVersion": "kubelet.config.k8s.io/v1beta1"}
	var added bytes.Buffer
	for name, value := range head {
		if _, given := fields[name]; !given {
			fmt.Fprintf(&added, "%s: %s\n", name, value)
		}
	}
	if added.Len() == 0 || bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return data
	}
	return append(added.Bytes(), data...)
}
