package main

// Shim, from 1.16: the strategy of the subresource ephemeralcontainers.

import "k8s.io/kubernetes/pkg/registry/core/pod"

func init() {
	ephemeralContainersStrategy = pod.EphemeralContainersStrategy
}
