// Package settings reads the configuration file with the kubelet's own loader.
package settings

import (
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

// Read reads a configuration file, whose path is where relative paths start from; load is
// the method Load of the kubelet's loader, which takes a context in newer ones.
func Read(load func(configfiles.Loader) (modern.Settings, error)) func(path string, data []byte) (modern.Settings, error) {
	return func(path string, data []byte) (modern.Settings, error) {
		loader, err := configfiles.NewFsLoader(oneFile{data: data}, path)
		if err != nil {
			return nil, err
		}
		return load(loader)
	}
}
