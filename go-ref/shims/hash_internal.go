package main

// Shim, 1.1 to 1.5: HashContainer, adler32 over the dump of the internal container.

import (
	"hash"
	"hash/adler32"

	"k8s.io/kubernetes/pkg/api"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func init() {
	kube.hashesInternal = true
	kube.containerHash = &containerHasher{
		sum:    func(c interface{}) uint64 { return kubecontainer.HashContainer(c.(*api.Container)) },
		hashed: func(c interface{}) (interface{}, error) { return *c.(*api.Container), nil },
		digest: func() hash.Hash32 { return adler32.New() },
	}
}
