package main

// Shim, from 1.25: PodSandboxChanged; from 1.37 it tells a reason, too.

import (
	"reflect"

	runtimeutil "k8s.io/kubernetes/pkg/kubelet/kuberuntime/util"
)

func init() {
	compareSandbox = func(manager, pod, status reflect.Value) []reflect.Value {
		return reflect.ValueOf(runtimeutil.PodSandboxChanged).Call([]reflect.Value{pod, status})
	}
}
