package main

// Shim, 1.5 to 1.37: the strategy of Pods.

import (
	"context"

	"k8s.io/kubernetes/pkg/registry/core/pod"
)

func init() {
	podStrategy = pod.Strategy
	updateContext = context.Background()
}
