package main

// Shim, 1.1 to 1.4: the strategy that decides what may change of a Pod.

import "k8s.io/kubernetes/pkg/registry/pod"

func init() {
	kube.podUpdates = &podUpdater{
		strategy: func(subresource string) interface{} {
			if subresource != "" {
				return nil
			}
			return pod.Strategy
		},
	}
}
