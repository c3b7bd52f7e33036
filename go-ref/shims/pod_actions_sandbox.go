package main

// Shim, 1.5 to 1.24: podSandboxChanged, a method of the manager.

import (
	"reflect"
	_ "unsafe" // for go:linkname
)

//go:linkname podSandboxChanged k8s.io/kubernetes/pkg/kubelet/kuberuntime.(*kubeGenericRuntimeManager).podSandboxChanged
func podSandboxChanged()

func init() {
	results := []reflect.Type{reflect.TypeOf(false), reflect.TypeOf(uint32(0)), reflect.TypeOf("")}
	compareSandbox = func(manager, pod, status reflect.Value) []reflect.Value {
		return callPrivate(podSandboxChanged, results, manager, pod, status)
	}
}
