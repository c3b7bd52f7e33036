package main

// Shim, 1.6: the Docker manager has a manager of network plugins.

import (
	"reflect"

	"k8s.io/kubernetes/pkg/kubelet/network"
)

func init() {
	setDockerNetwork = func(manager reflect.Value) error {
		plugins := network.NewPluginManager(&network.NoopNetworkPlugin{})
		settable(manager.Elem().FieldByName("network")).Set(reflect.ValueOf(plugins))
		return nil
	}
}
