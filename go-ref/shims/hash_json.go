package main

// Shim, 1.16 to 1.30: HashContainer over the dump of the container's JSON.

import (
	"encoding/json"
	"hash/fnv"

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func init() {
	kube.containerHash = &containerHasher{
		sum:    func(c interface{}) uint64 { return kubecontainer.HashContainer(c.(*v1.Container)) },
		hashed: func(c interface{}) (interface{}, error) { return json.Marshal(c.(*v1.Container)) },
		digest: fnv.New32a,
	}
}
