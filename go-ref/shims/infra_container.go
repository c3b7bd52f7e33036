package main

// Shim, 1.1 and 1.2: the container that the Docker manager makes for a Pod's
// network. The real SyncPod of a manager that has nothing but the image's name
// makes it, and asks for its image to be pulled; that is where it is caught. Other
// shims have what pulls.

import (
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/kubelet/dockertools"
	"k8s.io/kubernetes/pkg/kubelet/network"
)

// errCaught stops SyncPod.
var errCaught = fmt.Errorf("the container was caught")

// noNetwork is a network plugin that leaves the network to Docker.
type noNetwork struct{ network.NetworkPlugin }

func (noNetwork) Name() string { return "" }

func init() {
	kube.infraContainer = func(pod interface{}, image string) (interface{}, error) {
		puller := &catchingPuller{}
		manager := &dockertools.DockerManager{}
		set := func(name string, value interface{}) {
			field := reflect.ValueOf(manager).Elem().FieldByName(name)
			reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(value))
		}
		set("podInfraContainerImage", image)
		set("imagePuller", puller)
		set("networkPlugin", noNetwork{})
		sync := reflect.ValueOf(manager).MethodByName("SyncPod")
		in := []reflect.Value{}
		for i := 0; i < sync.Type().NumIn(); i++ {
			wanted := sync.Type().In(i)
			switch {
			case wanted == reflect.TypeOf(pod):
				in = append(in, reflect.ValueOf(pod))
			case wanted.Kind() == reflect.Ptr:
				in = append(in, reflect.New(wanted.Elem()))
			default:
				in = append(in, reflect.Zero(wanted))
			}
		}
		sync.Call(in)
		if puller.container == nil {
			return nil, fmt.Errorf("no infra container was made")
		}
		return puller.container, nil
	}
}
