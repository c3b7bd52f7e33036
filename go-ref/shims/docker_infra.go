package main

// Shim, 1.1 to 1.6: the container that holds a Pod's network for the Docker manager.

import (
	"reflect"

	"k8s.io/kubernetes/pkg/kubelet/dockertools"
)

// dockerHasher is the hash that the manager compares: in 1.6 the legacy one.
func dockerHasher() *containerHasher {
	if kube.containerHashLegacy != nil {
		return kube.containerHashLegacy
	}
	return kube.containerHash
}

// setInfra tells the manager which image such a container has, and its client what
// Docker knows about the one that there is.
func setInfra(manager, spec reflect.Value, infra *infraStatus) error {
	settable(manager.Elem().FieldByName("podInfraContainerImage")).SetString(infra.Image)
	if infra.ID == "" {
		infra.ID = dockertools.PodInfraContainerName
	}
	settable(manager.Elem().FieldByName("client")).Set(reflect.ValueOf(dockerWith(infra)))
	return infra.Hash.resolve(func() (uint64, error) { return infraHash(spec, infra.Image), nil })
}

// infraHash is the real function's hash of the container that the manager expects;
// whoever asks for "same" gets an error if the manager then sees a change.
func infraHash(spec reflect.Value, image string) uint64 {
	container := reflect.New(spec.FieldByName("Containers").Type().Elem())
	setField(container, "Name", dockertools.PodInfraContainerName)
	setField(container, "Image", image)
	setField(container, "ImagePullPolicy", "IfNotPresent")
	ports := container.Elem().FieldByName("Ports")
	for _, list := range []string{"InitContainers", "Containers"} {
		containers := spec.FieldByName(list)
		for i := 0; containers.IsValid() && !usesHostNetwork(spec) && i < containers.Len(); i++ {
			ports.Set(reflect.AppendSlice(ports, containers.Index(i).FieldByName("Ports")))
		}
	}
	return dockerHasher().sum(container.Interface())
}

// usesHostNetwork reads the field of the spec, or of the internal Pod's security context.
func usesHostNetwork(spec reflect.Value) bool {
	if field := spec.FieldByName("HostNetwork"); field.IsValid() {
		return field.Bool()
	}
	context := spec.FieldByName("SecurityContext")
	return !context.IsNil() && context.Elem().FieldByName("HostNetwork").Bool()
}

// dockerWith is the release's fake of Docker, which knows the network of one container.
func dockerWith(infra *infraStatus) *dockertools.FakeDockerClient {
	client := &dockertools.FakeDockerClient{}
	known := reflect.ValueOf(client).Elem().FieldByName("ContainerMap")
	container := reflect.New(known.Type().Elem().Elem())
	if base := container.Elem().FieldByName("ContainerJSONBase"); base.IsValid() { // from 1.3
		base.Set(reflect.New(base.Type().Elem()))
	}
	mode := "default"
	if infra.Network == "node" {
		mode = "host"
	}
	setField(allocated(container, "HostConfig"), "NetworkMode", mode)
	known.Set(reflect.MakeMap(known.Type()))
	known.SetMapIndex(reflect.ValueOf(infra.ID), container)
	return client
}
