package main

// Shim, 1.1 to 1.4: the strategy of Pods.

import "k8s.io/kubernetes/pkg/registry/pod"

func init() {
	podStrategy = pod.Strategy
}
