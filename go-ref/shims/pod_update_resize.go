package main

// Shim, from 1.32: the strategy of the subresource resize.

import "k8s.io/kubernetes/pkg/registry/core/pod"

func init() {
	resizeStrategy = pod.ResizeStrategy
}
