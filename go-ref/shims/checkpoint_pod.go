package main

// Shim, 1.11 to 1.18: the checkpoint of a Pod of a self-hosted control plane.

import pods "k8s.io/kubernetes/pkg/kubelet/checkpoint"

func init() {
	fresh := func() checkpoint { return pods.NewPodCheckpoint(nil) }
	kube.podCheckpoint = &checkpointForm{
		file: "Pod_uid.yaml",
		formats: func() []checkpointFormat {
			return []checkpointFormat{{fresh: fresh, sums: ofField("Pod")}}
		},
		restore: throughManager("Pod_uid.yaml", fresh),
	}
}
