package main

// Shim, 1.3 to 1.5: the Docker manager has a network plugin.

import (
	"reflect"

	"k8s.io/kubernetes/pkg/kubelet/network"
)

func init() {
	setDockerNetwork = func(manager reflect.Value) error {
		settable(manager.Elem().FieldByName("networkPlugin")).Set(reflect.ValueOf(&network.NoopNetworkPlugin{}))
		return nil
	}
}
