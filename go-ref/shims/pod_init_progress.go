package main

// Shim, 1.3 to 1.7: how far a Pod's init containers are.

import (
	"reflect"
	"unsafe"

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
)

// initProgressOf reads the name of a container of the Pod, and that of a status.
func initProgressOf(pod reflect.Value, next, failed unsafe.Pointer, done bool) *initProgress {
	name := func(of reflect.Type, pointer unsafe.Pointer) *string {
		if pointer == nil {
			return nil
		}
		text := reflect.NewAt(of, pointer).Elem().FieldByName("Name").String()
		return &text
	}
	container := pod.Elem().FieldByName("Spec").FieldByName("Containers").Type().Elem()
	return &initProgress{
		Next:   name(container, next),
		Failed: name(reflect.TypeOf(kubecontainer.ContainerStatus{}), failed),
		Done:   done,
	}
}
