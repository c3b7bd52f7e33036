package main

// Shim, 1.6: dockershim's handler of checkpoints, with a store elsewhere than where
// its constructor puts it.

import (
	"path/filepath"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/kubelet/dockershim"
)

func newSandboxHandler(dir string) (dockershim.CheckpointHandler, error) {
	store, err := dockershim.NewFileStore(filepath.Join(dir, "sandbox"))
	if err != nil {
		return nil, err
	}
	handler := &dockershim.PersistentCheckpointHandler{}
	field := reflect.ValueOf(handler).Elem().FieldByName("store")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(store))
	return handler, nil
}
