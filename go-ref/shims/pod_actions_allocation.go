package main

// Shim, 1.33 and 1.34: the allocation manager knows which resources were applied.

import (
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
)

func init() {
	allocationManager = func() interface{} {
		return callWithZeros(allocation.NewInMemoryManager)[0].Interface()
	}
	recordActuated = func(manager, pod reflect.Value, status *podStatus) error {
		applied := settable(manager.Elem().FieldByName("allocationManager")).Interface().(allocation.Manager)
		object := pod.Interface().(*v1.Pod)
		return eachActuated(object, status, func(name string, resources v1.ResourceRequirements) error {
			return applied.SetActuatedResources(object, &v1.Container{Name: name, Resources: resources})
		})
	}
}
