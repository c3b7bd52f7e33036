package main

// Shim, 1.2: the Docker manager's computePodContainerChanges. go1.4 has no
// go:linkname, and its assembler cannot name a method, so the method is looked up
// among the functions of its package.

import (
	"reflect"
	"unsafe"

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/dockertools"
	"k8s.io/kubernetes/pkg/kubelet/network"
)

// dockerChanges has the fields of the private podContainerChangesSpec.
type dockerChanges struct {
	StartInfraContainer bool
	InfraChanged        bool
	InfraContainerId    kubecontainer.DockerID
	ContainersToStart   map[int]string
	ContainersToKeep    map[kubecontainer.DockerID]int
}

const dockerContainerChanges = "k8s.io/kubernetes/pkg/kubelet/dockertools.(*DockerManager).computePodContainerChanges"

func init() {
	code := codeOf(dockerContainerChanges, (*dockertools.DockerManager).SyncPod)
	closure := &code // a func is a pointer to what begins with its code's address
	compute := *(*func(manager *dockertools.DockerManager, pod, status unsafe.Pointer) (dockerChanges, error))(unsafe.Pointer(&closure))
	computeDockerChanges = func(manager *dockertools.DockerManager, pod, status unsafe.Pointer) (interface{}, error) {
		changes, err := compute(manager, pod, status)
		return &changes, err
	}
	setDockerNetwork = func(manager reflect.Value) error {
		plugin, err := network.InitNetworkPlugin(nil, "", nil)
		if err == nil {
			settable(manager.Elem().FieldByName("networkPlugin")).Set(reflect.ValueOf(plugin))
		}
		return err
	}
}
