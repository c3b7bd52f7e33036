package main

// Shim, 1.1: what the kubelet's manager of Docker decides for a Pod. It is given the
// running containers and the Pod's status, and probes by itself.

import (
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/api"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/dockertools"
	"k8s.io/kubernetes/pkg/probe"
	"k8s.io/kubernetes/pkg/types"
)

func init() {
	kube.podActionsDocker = &podRuntime{hasher: dockerHasher, decide: decideByDocker}
}

// fixedProber finds what the request says.
type fixedProber map[string]probeResults

func (p fixedProber) Probe(pod *api.Pod, status api.PodStatus, container api.Container, id string, created int64) (probe.Result, error) {
	switch p[container.Name].Liveness {
	case "failure":
		return probe.Failure, nil
	case "unknown":
		return probe.Unknown, nil
	}
	return probe.Success, nil
}

func decideByDocker(object interface{}, status *podStatus, probes map[string]probeResults) (*podDecision, error) {
	const name = "k8s.io/kubernetes/pkg/kubelet/dockertools.(*DockerManager).computePodContainerChanges"
	code := codeOf(name, (*dockertools.DockerManager).SyncPod)
	closure := &code // a func is a pointer to what begins with its code's address
	compute := *(*func(*dockertools.DockerManager, *api.Pod, kubecontainer.Pod, api.PodStatus) (dockertools.PodContainerChangesSpec, error))(unsafe.Pointer(&closure))

	pod := object.(*api.Pod)
	spec := reflect.ValueOf(pod).Elem().FieldByName("Spec")
	manager := &dockertools.DockerManager{}
	field := func(name string) reflect.Value {
		return settable(reflect.ValueOf(manager).Elem().FieldByName(name))
	}
	field("readinessManager").Set(reflect.ValueOf(kubecontainer.NewReadinessManager()))
	field("prober").Set(reflect.ValueOf(fixedProber(probes)))

	running := kubecontainer.Pod{ID: pod.UID, Name: pod.Name, Namespace: pod.Namespace}
	keep := func(id, name string, created int64, hash uint64) {
		running.Containers = append(running.Containers, &kubecontainer.Container{ID: types.UID(id), Name: name, Hash: hash, Created: created})
	}
	presumed := status.Infra != nil && status.Infra.Hash.word == "same"
	if infra := status.Infra; infra != nil {
		if err := setInfra(reflect.ValueOf(manager), spec, infra); err != nil {
			return nil, err
		}
		if infra.State == "running" {
			keep(infra.ID, dockertools.PodInfraContainerName, 0, infra.Hash.number)
		}
	}
	known := api.PodStatus{}
	for _, c := range status.Containers {
		id := c.ID
		if id == "" {
			id = c.Name
		}
		state := api.ContainerState{}
		switch c.State {
		case "running":
			keep(id, c.Name, c.CreatedAt, c.Hash.number)
			state.Running = &api.ContainerStateRunning{}
		case "exited":
			state.Terminated = &api.ContainerStateTerminated{ExitCode: int(c.ExitCode), Reason: c.Reason}
		default:
			return nil, fmt.Errorf("status: no such state of a container: %q", c.State)
		}
		known.ContainerStatuses = append(known.ContainerStatuses, api.ContainerStatus{
			Name: c.Name, ContainerID: dockertools.DockerPrefix + id, State: state, RestartCount: int(c.RestartCount),
		})
	}
	changes, err := compute(manager, pod, running, known)
	if err != nil {
		return nil, err
	}
	if presumed && !usesHostNetwork(spec) && status.Infra.State == "running" && changes.StartInfraContainer {
		return nil, fmt.Errorf("the hash presumed of the infra container is another one")
	}
	start := []string{}
	for i := range pod.Spec.Containers {
		if _, ok := changes.ContainersToStart[i]; ok {
			start = append(start, pod.Spec.Containers[i].Name)
		}
	}
	return &podDecision{Actions: map[string]interface{}{
		"startInfraContainer": changes.StartInfraContainer,
		"infraContainerID":    string(changes.InfraContainerId),
		"containersToStart":   start,
		"containersToKeep":    sortedIDs(reflect.ValueOf(changes.ContainersToKeep), reflect.Value.String),
	}}, nil
}
