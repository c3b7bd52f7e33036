package main

// Shim, 1.6 to 1.10: HashContainerLegacy, the same dump under adler32.

import (
	"hash"
	"hash/adler32"
	"reflect"

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

func init() {
	kube.containerHashLegacy = &containerHasher{
		sum:    func(c interface{}) uint64 { return callHash(kubecontainer.HashContainerLegacy, c) },
		hashed: func(c interface{}) (interface{}, error) { return reflect.ValueOf(c).Elem().Interface(), nil },
		digest: func() hash.Hash32 { return adler32.New() },
	}
}
