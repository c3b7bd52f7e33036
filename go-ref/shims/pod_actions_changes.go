package main

// Shim, 1.5 to 1.7: computePodContainerChanges, which compares hashes itself, and
// findNextInitContainerToRun, which is asked once its changes are made.

import (
	"reflect"
	"unsafe" // for go:linkname, too
)

//go:linkname computePodContainerChanges k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).computePodContainerChanges
func computePodContainerChanges()

//go:linkname findNextInitContainerToRun k8s.io/kubernetes/pkg/kubelet/kuberuntime.findNextInitContainerToRun
func findNextInitContainerToRun(pod, status unsafe.Pointer) (failed, next unsafe.Pointer, done bool)

func init() {
	computeActions, computeResult = computePodContainerChanges, "podContainerSpecChanges"
	findInit = func(pod, status reflect.Value) *initProgress {
		failed, next, done := findNextInitContainerToRun(unsafe.Pointer(pod.Pointer()), unsafe.Pointer(status.Pointer()))
		return initProgressOf(pod, next, failed, done)
	}
}
