package main

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

func readConfig(path string, data []byte) (modern.Settings, error) {
	loader, err := configfiles.NewFsLoader(oneFile{data: data}, path)
	if err != nil {
		return nil, err
	}
	return loader.Load(context.Background())
}
