package main

// Shim, from 1.37: the CPU and memory managers' checkpoints with two checksums,
// of an embedded older format and of a text that holds the data.

import (
	_ "unsafe" // for go:linkname

	cpus "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
	memory "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
)

//go:linkname newCPUManagerCheckpoint k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state.newCPUManagerCheckpoint
func newCPUManagerCheckpoint() *cpus.CPUManagerCheckpoint

//go:linkname newCPUManagerCheckpointV3 k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state.newCPUManagerCheckpointV3
func newCPUManagerCheckpointV3() *cpus.CPUManagerCheckpointV3

//go:linkname newCPUManagerCheckpointV2 k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state.newCPUManagerCheckpointV2
func newCPUManagerCheckpointV2() *cpus.CPUManagerCheckpointV2

//go:linkname newMemoryManagerCheckpoint k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state.newMemoryManagerCheckpoint
func newMemoryManagerCheckpoint() *memory.MemoryManagerCheckpoint

//go:linkname newMemoryManagerCheckpointV2 k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state.newMemoryManagerCheckpointV2
func newMemoryManagerCheckpointV2() *memory.MemoryManagerCheckpointV2

//go:linkname newMemoryManagerCheckpointV1 k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state.newMemoryManagerCheckpointV1
func newMemoryManagerCheckpointV1() *memory.MemoryManagerCheckpointV1

func cpuFormats() []checkpointFormat {
	return []checkpointFormat{{
		fresh: func() checkpoint { return newCPUManagerCheckpoint() },
		sums:  ofEmbedded("CPUManagerCheckpointV2", "CPUManagerCheckpoint"),
	}, {
		fresh: func() checkpoint { return newCPUManagerCheckpointV3() },
		sums:  ofItself(rename{"CPUManagerCheckpointV3", "CPUManagerCheckpoint", 1}),
	}, {
		fresh: func() checkpoint { return newCPUManagerCheckpointV2() },
		sums:  ofItself(rename{"CPUManagerCheckpointV2", "CPUManagerCheckpoint", 1}),
	}}
}

func memoryFormats() []checkpointFormat {
	return []checkpointFormat{{
		fresh: func() checkpoint { return newMemoryManagerCheckpoint() },
		sums:  ofEmbedded("MemoryManagerCheckpointV1", "MemoryManagerCheckpoint"),
	}, {
		fresh: func() checkpoint { return newMemoryManagerCheckpointV2() },
		sums:  ofItself(rename{"MemoryManagerCheckpointV2", "MemoryManagerCheckpoint", 1}),
	}, {
		fresh: func() checkpoint { return newMemoryManagerCheckpointV1() },
		sums:  ofItself(rename{"MemoryManagerCheckpointV1", "MemoryManagerCheckpoint", 1}),
	}}
}

// inUse: no feature gate decides on formats.
func inUse(formats []checkpointFormat) []checkpointFormat { return formats }
