package main

// Shim, from 1.24, where kubeadm compares hashes of dumps: its DeepHashObject.

import (
	"hash"

	"k8s.io/kubernetes/cmd/kubeadm/app/util/staticpod"
)

func init() {
	kube.staticPodDump = func(path string, hasher hash.Hash) error {
		pod, err := staticpod.ReadStaticPodFromDisk(path)
		if err == nil {
			staticpod.DeepHashObject(hasher, pod)
		}
		return err
	}
}
