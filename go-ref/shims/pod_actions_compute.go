package main

// Shim, 1.8 to 1.37: computePodActions and containerChanged.

import (
	_ "unsafe" // for go:linkname

	"k8s.io/kubernetes/pkg/kubelet/cm"
)

//go:linkname computePodActions k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).computePodActions
func computePodActions()

//go:linkname containerChanged k8s.io/kubernetes/pkg/kubelet/kuberuntime.containerChanged
func containerChanged()

func init() {
	computeActions, computeResult = computePodActions, "podActions"
	compareContainer = containerChanged
	internalLifecycle = func() interface{} { return cm.NewFakeInternalContainerLifecycle() }
}
