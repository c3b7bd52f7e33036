package main

// Shim, from 1.31: HashContainer over the dump of the JSON of a few fields.

import (
	"encoding/json"
	"hash/fnv"
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

//go:linkname pickFieldsToHash k8s.io/kubernetes/pkg/kubelet/container.pickFieldsToHash
func pickFieldsToHash(container *v1.Container) map[string]string

func init() {
	kube.containerHash = &containerHasher{
		sum:    func(c interface{}) uint64 { return kubecontainer.HashContainer(c.(*v1.Container)) },
		hashed: func(c interface{}) (interface{}, error) { return json.Marshal(pickFieldsToHash(c.(*v1.Container))) },
		digest: fnv.New32a,
	}
}
