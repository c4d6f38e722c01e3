package modern

import (
	"podsource/protocol"
)

// Manifest is a text and where it comes from, which enters the pods' UIDs.
type Manifest struct {
	Data     []byte
	Source   string
	IsFile   bool
	NodeName string
}

type manifestArguments struct {
	Data   []byte          `json:"data"`
	Config protocol.Config `json:"config"`
}

// manifest reads the text as a file's, unless the config has a URL and no path.
func (a manifestArguments) manifest() Manifest {
	c := a.Config
	if c.Path == "" && c.URL != "" {
		return Manifest{Data: a.Data, Source: c.URL, NodeName: c.NodeName}
	}
	return Manifest{Data: a.Data, Source: c.Path, IsFile: true, NodeName: c.NodeName}
}

func (k Kubelet) manifest(w *protocol.World, _ protocol.Config) (protocol.Object, error) {
	return protocol.Object{
		"decode_manifest": protocol.Bind(func(a manifestArguments) (any, error) {
			restore, err := setGates(a.Config.Gates)
			if err != nil {
				return nil, err
			}
			defer restore()
			parsed, pod, err := k.Decode(w, a.manifest())
			if err != nil {
				return nil, protocol.Refused(err.Error(), parsed)
			}
			return protocol.Pod(pod), nil
		}),
		"decode_manifest_list": protocol.Bind(func(a manifestArguments) (any, error) {
			restore, err := setGates(a.Config.Gates)
			if err != nil {
				return nil, err
			}
			defer restore()
			parsed, pods, err := k.DecodeList(w, a.manifest())
			if err != nil {
				return nil, protocol.Refused(err.Error(), parsed)
			}
			plain := []any{}
			for i := range pods {
				plain = append(plain, protocol.Pod(&pods[i]))
			}
			return plain, nil
		}),
	}, nil
}
