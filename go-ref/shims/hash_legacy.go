package main

// Shim, 1.8 to 1.10: HashContainerLegacy, the same dump under adler32.

import (
	"hash"
	"hash/adler32"

	v1 "k8s.io/api/core/v1"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func init() {
	kube.containerHashLegacy = &containerHasher{
		sum:    func(c interface{}) uint64 { return kubecontainer.HashContainerLegacy(c.(*v1.Container)) },
		hashed: func(c interface{}) (interface{}, error) { return *c.(*v1.Container), nil },
		digest: func() hash.Hash32 { return adler32.New() },
	}
}
