package main

// Shim, 1.18 to 1.36: the CPU manager's checkpoint as it was until 1.17. Only its
// VerifyChecksum gives the struct the older name.

import (
	_ "unsafe" // for go:linkname

	cpus "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
)

//go:linkname newCPUManagerCheckpointV1 k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state.newCPUManagerCheckpointV1
func newCPUManagerCheckpointV1() *cpus.CPUManagerCheckpointV1

func init() {
	kube.cpuCheckpointV1 = func() checkpointFormat {
		sums := ofItself(rename{"CPUManagerCheckpointV1", "CPUManagerCheckpoint", 1})
		sums[0].onlyVerified = true
		return checkpointFormat{
			fresh: func() checkpoint { return newCPUManagerCheckpointV1() },
			sums:  sums,
		}
	}
}
