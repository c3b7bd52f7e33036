package main

// Shim, 1.11 to 1.23: dockershim's checkpoint of a Pod's sandbox.

import "k8s.io/kubernetes/pkg/kubelet/dockershim"

func init() {
	fresh := func() checkpoint { return dockershim.NewPodSandboxCheckpoint("", "", &dockershim.CheckpointData{}) }
	kube.sandboxCheckpoint = &checkpointForm{
		file: "sandbox",
		formats: func() []checkpointFormat {
			return []checkpointFormat{{fresh: fresh, sums: ofField("Data")}}
		},
		restore: throughManager("sandbox", fresh),
	}
}
