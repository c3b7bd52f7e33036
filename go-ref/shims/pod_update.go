package main

// Shim, 1.5 to 1.37: the strategy that decides what may change of a Pod.

import (
	"context"

	"k8s.io/kubernetes/pkg/registry/core/pod"
)

// The strategies of subresources; nil where there is none.
var ephemeralContainersStrategy, resizeStrategy interface{}

func init() {
	kube.podUpdates = &podUpdater{
		strategy: func(subresource string) interface{} {
			switch subresource {
			case "":
				return pod.Strategy
			case "ephemeralcontainers":
				return ephemeralContainersStrategy
			case "resize":
				return resizeStrategy
			}
			return nil
		},
		context: context.Background(),
	}
}
