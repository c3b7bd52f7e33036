package main

// Shim, 1.36: the CPU and memory managers' checkpoints with entries for Pods.

import (
	_ "unsafe" // for go:linkname

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	cpus "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
	memory "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
)

//go:linkname newCPUManagerCheckpoint k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state.newCPUManagerCheckpoint
func newCPUManagerCheckpoint() *cpus.CPUManagerCheckpoint

//go:linkname newCPUManagerCheckpointV2 k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state.newCPUManagerCheckpointV2
func newCPUManagerCheckpointV2() *cpus.CPUManagerCheckpointV2

//go:linkname newMemoryManagerCheckpoint k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state.newMemoryManagerCheckpoint
func newMemoryManagerCheckpoint() *memory.MemoryManagerCheckpoint

//go:linkname newMemoryManagerCheckpointV1 k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state.newMemoryManagerCheckpointV1
func newMemoryManagerCheckpointV1() *memory.MemoryManagerCheckpointV1

func cpuFormats() []checkpointFormat {
	return []checkpointFormat{{
		fresh: func() checkpoint { return newCPUManagerCheckpoint() },
		sums:  ofItself(),
	}, {
		fresh: func() checkpoint { return newCPUManagerCheckpointV2() },
		sums:  ofItself(rename{"CPUManagerCheckpointV2", "CPUManagerCheckpoint", 1}),
	}}
}

func memoryFormats() []checkpointFormat {
	return []checkpointFormat{{
		fresh: func() checkpoint { return newMemoryManagerCheckpoint() },
		sums:  ofItself(),
	}, {
		fresh: func() checkpoint { return newMemoryManagerCheckpointV1() },
		sums:  ofItself(rename{"MemoryManagerCheckpointV1", "MemoryManagerCheckpoint", 1}),
	}}
}

// inUse puts the newest format last, which is neither written nor read without its
// feature gate.
func inUse(formats []checkpointFormat) []checkpointFormat {
	if utilfeature.DefaultFeatureGate.Enabled(features.PodLevelResourceManagers) {
		return formats
	}
	return append(append([]checkpointFormat{}, formats[1:]...), formats[0])
}
