// Package settings reads the configuration file with the loader of newer kubelets.
package settings

import (
	"context"

	"k8s.io/kubernetes/pkg/kubelet/kubeletconfig/configfiles"
	utilfs "k8s.io/kubernetes/pkg/util/filesystem"

	"podsource/modern"
)

// oneFile is a filesystem with one file: the configuration file.
type oneFile struct {
	utilfs.Filesystem
	data []byte
}

func (f oneFile) ReadFile(string) ([]byte, error) { return f.data, nil }

// Read reads a configuration file; its path is where relative paths start from.
func Read(path string, data []byte) (modern.Settings, error) {
	loader, err := configfiles.NewFsLoader(oneFile{data: data}, path)
	if err != nil {
		return nil, err
	}
	return loader.Load(context.Background())
}
