package main

// Shim, 1.8 to 1.15: HashContainer over the dump of the container itself.

import (
	"hash/fnv"

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func init() {
	kube.containerHash = &containerHasher{
		sum:    func(c interface{}) uint64 { return kubecontainer.HashContainer(c.(*v1.Container)) },
		hashed: func(c interface{}) (interface{}, error) { return *c.(*v1.Container), nil },
		digest: fnv.New32a,
	}
}
