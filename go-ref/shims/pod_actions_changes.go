package main

// Shim, 1.5 to 1.7: computePodContainerChanges, which compares hashes itself.

import _ "unsafe" // for go:linkname

//go:linkname computePodContainerChanges k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).computePodContainerChanges
func computePodContainerChanges()

func init() {
	computeActions, computeResult = computePodContainerChanges, "podContainerSpecChanges"
}
