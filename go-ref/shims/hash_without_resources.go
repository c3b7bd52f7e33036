package main

// Shim, 1.27 to 1.30: HashContainerWithoutResources.

import (
	"encoding/json"
	"hash/fnv"

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func init() {
	kube.containerHashWithoutResources = &containerHasher{
		sum: func(c interface{}) uint64 { return kubecontainer.HashContainerWithoutResources(c.(*v1.Container)) },
		hashed: func(c interface{}) (interface{}, error) {
			copied := c.(*v1.Container).DeepCopy()
			copied.Resources = v1.ResourceRequirements{}
			return json.Marshal(copied)
		},
		digest: fnv.New32a,
	}
}
