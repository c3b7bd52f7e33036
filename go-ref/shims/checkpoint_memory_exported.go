package main

// Shim, 1.21 to 1.35: the memory manager's only format.

import memory "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"

func memoryFormats() []checkpointFormat {
	return []checkpointFormat{{
		fresh: func() checkpoint { return memory.NewMemoryManagerCheckpoint() },
		sums:  ofItself(),
	}}
}
