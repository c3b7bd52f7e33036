package main

// Shim, 1.2 to 1.37: a Pod's status as the kubelet's own structs, and the results
// of its probes, whatever fields the release has for them.

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
)

// kubePodStatus is the status as the kubelet's own struct.
func kubePodStatus(pod reflect.Value, from *podStatus, runtimeName string) (reflect.Value, error) {
	status := reflect.ValueOf(&kubecontainer.PodStatus{})
	meta := pod.Elem().FieldByName("ObjectMeta")
	setField(status, "ID", meta.FieldByName("UID").String())
	setField(status, "Name", meta.FieldByName("Name").String())
	setField(status, "Namespace", meta.FieldByName("Namespace").String())
	if len(from.IPs) > 0 {
		setField(status, "IP", from.IPs[0])
		setField(status, "IPs", from.IPs)
	}
	sandboxes := status.Elem().FieldByName("SandboxStatuses")
	for i := 0; sandboxes.IsValid() && i < len(from.Sandboxes); i++ {
		sandbox := reflect.New(sandboxes.Type().Elem().Elem())
		if err := fillSandbox(sandbox, &from.Sandboxes[i]); err != nil {
			return status, err
		}
		sandboxes.Set(reflect.Append(sandboxes, sandbox))
	}
	containers := status.Elem().FieldByName("ContainerStatuses")
	active := status.Elem().FieldByName("ActiveContainerStatuses")
	for i := range from.Containers {
		c := &from.Containers[i]
		container := reflect.New(containers.Type().Elem().Elem())
		if err := fillContainer(container, c, runtimeName); err != nil {
			return status, err
		}
		containers.Set(reflect.Append(containers, container))
		// As the kubelet sorts them: those in the newest sandbox, if that is ready.
		if active.IsValid() && len(from.Sandboxes) > 0 && from.Sandboxes[0].State == "ready" &&
			(c.Sandbox == "" || c.Sandbox == from.Sandboxes[0].ID) {
			active.Set(reflect.Append(active, container))
		}
	}
	return status, nil
}

func fillSandbox(sandbox reflect.Value, from *sandboxStatus) error {
	state, ok := map[string]int64{"ready": 0, "notready": 1}[from.State]
	if !ok {
		return fmt.Errorf("status: no such state of a sandbox: %q", from.State)
	}
	setField(sandbox, "Id", from.ID)
	setField(sandbox, "State", state)
	setField(sandbox, "CreatedAt", from.CreatedAt*int64(time.Second))
	setField(allocated(sandbox, "Metadata"), "Attempt", from.Attempt)
	if from.IPs != nil {
		network := allocated(sandbox, "Network")
		for i, ip := range from.IPs {
			if i == 0 {
				setField(network, "Ip", ip)
			} else if more := network.Elem().FieldByName("AdditionalIps"); more.IsValid() {
				other := reflect.New(more.Type().Elem().Elem())
				setField(other, "Ip", ip)
				more.Set(reflect.Append(more, other))
			}
		}
	}
	mode, ok := map[string]int64{"": 0, "pod": 0, "container": 1, "node": 2, "target": 3}[from.Network]
	if !ok {
		return fmt.Errorf("status: no such mode of a network namespace: %q", from.Network)
	}
	options := allocated(allocated(allocated(sandbox, "Linux"), "Namespaces"), "Options")
	setField(options, "Network", mode)          // from 1.10
	setField(options, "HostNetwork", mode == 2) // to 1.9
	return nil
}

func fillContainer(container reflect.Value, from *containerStatus, runtimeName string) error {
	switch from.State {
	case "created", "running", "exited", "unknown":
	default:
		return fmt.Errorf("status: no such state of a container: %q", from.State)
	}
	id := from.ID
	if id == "" {
		id = from.Name
	}
	container.Elem().FieldByName("ID").Set(reflect.ValueOf(containerID(runtimeName, id)))
	setField(container, "Name", from.Name)
	setField(container, "State", from.State)
	setField(container, "CreatedAt", time.Unix(from.CreatedAt, 0))
	setField(container, "StartedAt", time.Unix(from.StartedAt, 0))
	setField(container, "FinishedAt", time.Unix(from.FinishedAt, 0))
	setField(container, "ExitCode", from.ExitCode)
	setField(container, "Reason", from.Reason)
	setField(container, "Image", from.Image)
	setField(container, "ImageID", from.ImageID)
	setField(container, "RestartCount", from.RestartCount)
	setField(container, "Hash", from.Hash.number)
	setField(container, "HashWithoutResources", from.HashWithoutResources.number)
	if from.Resources == nil || !container.Elem().FieldByName("Resources").IsValid() {
		return nil
	}
	resources := allocated(container, "Resources")
	for name, quantity := range map[string]string{
		"CPURequest":    from.Resources.CPURequest,
		"CPULimit":      from.Resources.CPULimit,
		"MemoryRequest": from.Resources.MemoryRequest,
		"MemoryLimit":   from.Resources.MemoryLimit,
	} {
		if quantity == "" {
			continue
		}
		data, err := json.Marshal(quantity)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, resources.Elem().FieldByName(name).Addr().Interface()); err != nil {
			return fmt.Errorf("status: %v", err)
		}
	}
	return nil
}

// containerID splits an ID such as containerd://0a1b; a plain one is the runtime's.
func containerID(runtimeName, id string) kubecontainer.ContainerID {
	if i := strings.Index(id, "://"); i >= 0 {
		runtimeName, id = id[:i], id[i+len("://"):]
	}
	return kubecontainer.ContainerID{Type: runtimeName, ID: id}
}

// setProbeResults tells the manager what probes of the newest containers found.
func setProbeResults(manager, pod, status reflect.Value, probes map[string]probeResults) error {
	for name, results := range probes {
		container := statusOf(status, name)
		if container.IsNil() {
			return fmt.Errorf("probes: the status has no container %s", name)
		}
		for _, probe := range []struct{ field, result string }{
			{"livenessManager", results.Liveness},
			{"readinessManager", results.Readiness},
			{"startupManager", results.Startup},
		} {
			field := manager.Elem().FieldByName(probe.field)
			if probe.result == "" || !field.IsValid() {
				continue
			}
			result := reflect.New(reflect.TypeOf(proberesults.Success)).Elem()
			switch {
			case probe.result == "success":
				result.Set(reflect.ValueOf(proberesults.Success))
			case probe.result == "failure":
				result.Set(reflect.ValueOf(proberesults.Failure))
			case probe.result != "unknown":
				return fmt.Errorf("probes: no such result: %q", probe.result)
			case result.Kind() == reflect.Bool:
				continue // until 1.15 such a result is not recorded
			default:
				result.SetInt(-1)
			}
			probed := settable(field).Elem()
			id := container.Elem().FieldByName("ID")
			probed.MethodByName("Set").Call([]reflect.Value{id, result, pod})
			// Its channel holds 20 updates, for which nobody waits here.
			probed.MethodByName("Updates").Call(nil)[0].TryRecv()
		}
	}
	return nil
}

// statusOf is a pointer to a container's newest status, or nil.
func statusOf(status reflect.Value, name string) reflect.Value {
	return status.MethodByName("FindContainerStatusByName").Call([]reflect.Value{reflect.ValueOf(name)})[0]
}

// idOf is an ID such as containerd://0a1b.
func idOf(id reflect.Value) string {
	readable := id.Interface().(kubecontainer.ContainerID)
	return readable.String()
}

func nameOf(container reflect.Value) string { return container.Elem().FieldByName("Name").String() }

// describeStarts takes what the kubelets to 1.7 have: why each container is to be
// started, by its place in the Pod.
func describeStarts(containers, reasons reflect.Value) (names []string, messages map[string]string) {
	names, messages = []string{}, map[string]string{}
	for i := 0; i < containers.Len(); i++ {
		if reason := reasons.MapIndex(reflect.ValueOf(i)); reason.IsValid() {
			name := containers.Index(i).FieldByName("Name").String()
			names = append(names, name)
			messages[name] = withoutContainer(reason.String())
		}
	}
	return names, messages
}

// withoutContainer puts {} where kubelets to 1.7 print the whole container, whose maps
// and pointers come out differently every time.
func withoutContainer(message string) string {
	return printedContainer.ReplaceAllString(message, "Container {}$1")
}

var printedContainer = regexp.MustCompile(`(?s)^Container \{.*\}( is dead|'s pod)`)
