package main

// Shim, 1.12 to 1.35: the format in which the CPU manager writes.

import cpus "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"

func cpuFormats() []checkpointFormat {
	return []checkpointFormat{{
		fresh: func() checkpoint { return cpus.NewCPUManagerCheckpoint() },
		sums:  ofItself(),
	}}
}

// inUse: no feature gate decides on formats.
func inUse(formats []checkpointFormat) []checkpointFormat { return formats }
