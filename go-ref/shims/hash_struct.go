package main

// Shim, 1.6 to 1.15: HashContainer over the dump of the container itself. Called
// by reflection, because v1.Container moves from pkg/api/v1 to k8s.io/api in 1.8.

import (
	"hash/fnv"
	"reflect"

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func init() {
	kube.containerHash = &containerHasher{
		sum:    func(c interface{}) uint64 { return callHash(kubecontainer.HashContainer, c) },
		hashed: func(c interface{}) (interface{}, error) { return reflect.ValueOf(c).Elem().Interface(), nil },
		digest: fnv.New32a,
	}
}

// callHash calls a function from a pointer to a container to an uint64.
func callHash(function, container interface{}) uint64 {
	return reflect.ValueOf(function).Call([]reflect.Value{reflect.ValueOf(container)})[0].Uint()
}
