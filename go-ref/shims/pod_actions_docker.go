package main

// Shim, 1.2 to 1.6: what the kubelet's manager of Docker decides for a Pod.

import (
	"fmt"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/kubelet/dockertools"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
)

// computeDockerChanges calls the manager's computePodContainerChanges and gives a
// pointer to its result.
var computeDockerChanges func(manager *dockertools.DockerManager, pod, status unsafe.Pointer) (interface{}, error)

// findDockerInit tells how far init containers are, from 1.3.
var findDockerInit func(pod, status reflect.Value) *initProgress

// setDockerNetwork gives the manager the plugin that does nothing.
var setDockerNetwork func(manager reflect.Value) error

func init() {
	kube.podActionsDocker = &podRuntime{hasher: dockerHasher, decide: decideByDocker}
}

func decideByDocker(object interface{}, status *podStatus, probes map[string]probeResults) (*podDecision, error) {
	pod := reflect.ValueOf(object)
	spec := pod.Elem().FieldByName("Spec")
	manager := reflect.ValueOf(&dockertools.DockerManager{})
	settable(manager.Elem().FieldByName("livenessManager")).Set(reflect.ValueOf(proberesults.NewManager()))
	if err := setDockerNetwork(manager); err != nil {
		return nil, err
	}
	presumed := status.Infra != nil && status.Infra.Hash.word == "same"
	if infra := status.Infra; infra != nil {
		if err := setInfra(manager, spec, infra); err != nil {
			return nil, err
		}
		status.Containers = append(status.Containers, containerStatus{
			ID: infra.ID, Name: dockertools.PodInfraContainerName, State: infra.State, Hash: infra.Hash,
		})
	}
	kubeStatus, err := kubePodStatus(pod, status, "docker")
	if err != nil {
		return nil, err
	}
	if err := setProbeResults(manager, pod, kubeStatus, probes); err != nil {
		return nil, err
	}
	changes, err := computeDockerChanges(manager.Interface().(*dockertools.DockerManager),
		unsafe.Pointer(pod.Pointer()), unsafe.Pointer(kubeStatus.Pointer()))
	if err != nil {
		return nil, err
	}
	actions := describeDockerChanges(spec, reflect.ValueOf(changes).Elem())
	if presumed && !usesHostNetwork(spec) && actions["infraChanged"] == true {
		return nil, fmt.Errorf("the hash presumed of the infra container is another one")
	}
	decision := &podDecision{Actions: actions}
	if findDockerInit != nil {
		decision.Init = findDockerInit(pod, kubeStatus)
	}
	return decision, nil
}

// describeDockerChanges puts the manager's struct into words. What is not to be
// kept is killed.
func describeDockerChanges(spec, changes reflect.Value) map[string]interface{} {
	described := map[string]interface{}{
		"startInfraContainer": changes.FieldByName("StartInfraContainer").Bool(),
		"infraChanged":        changes.FieldByName("InfraChanged").Bool(),
		"infraContainerID":    changes.FieldByName("InfraContainerId").String(),
		"containersToKeep":    sortedIDs(changes.FieldByName("ContainersToKeep"), reflect.Value.String),
	}
	described["containersToStart"], described["startMessages"] = describeStarts(spec.FieldByName("Containers"), changes.FieldByName("ContainersToStart"))
	if failed := changes.FieldByName("InitFailed"); failed.IsValid() {
		described["initFailed"] = failed.Bool()
		described["initContainersToKeep"] = sortedIDs(changes.FieldByName("InitContainersToKeep"), reflect.Value.String)
	}
	return described
}
