package main

// Shim, 1.3 to 1.6: the Docker manager's computePodContainerChanges, which looks
// at init containers, too, and findActiveInitContainer.

import (
	"reflect"
	"unsafe" // for go:linkname, too

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/dockertools"
)

// dockerChanges has the fields of the private podContainerChangesSpec.
type dockerChanges struct {
	StartInfraContainer  bool
	InfraChanged         bool
	InfraContainerId     kubecontainer.DockerID
	InitFailed           bool
	InitContainersToKeep map[kubecontainer.DockerID]int
	ContainersToStart    map[int]string
	ContainersToKeep     map[kubecontainer.DockerID]int
}

//go:linkname dockerContainerChanges k8s.io/kubernetes/pkg/kubelet/dockertools.(*DockerManager).computePodContainerChanges
func dockerContainerChanges(manager *dockertools.DockerManager, pod, status unsafe.Pointer) (dockerChanges, error)

//go:linkname findActiveInitContainer k8s.io/kubernetes/pkg/kubelet/dockertools.findActiveInitContainer
func findActiveInitContainer(pod, status unsafe.Pointer) (next, failed unsafe.Pointer, done bool)

func init() {
	findDockerInit = func(pod, status reflect.Value) *initProgress {
		next, failed, done := findActiveInitContainer(unsafe.Pointer(pod.Pointer()), unsafe.Pointer(status.Pointer()))
		return initProgressOf(pod, next, failed, done)
	}
	computeDockerChanges = func(manager *dockertools.DockerManager, pod, status unsafe.Pointer) (interface{}, error) {
		changes, err := dockerContainerChanges(manager, pod, status)
		return &changes, err
	}
}
