package main

// Shim, 1.5 to 1.37: what the kubelet's manager of a CRI runtime decides for a Pod.
//
// The manager gets what the deciding functions look at, and nothing else. All is
// done by reflection: the manager, its methods and the struct with their result
// are private, and fields come and go.

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"

	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	"k8s.io/kubernetes/pkg/kubelet/kuberuntime"
	proberesults "k8s.io/kubernetes/pkg/kubelet/prober/results"
)

const runtimeManagerPackage = "k8s.io/kubernetes/pkg/kubelet/kuberuntime"

// The methods of the manager, and what they are to be called with.
var (
	// computeActions is linked to the method that decides.
	computeActions interface{}
	// computeResult is the name of its result's type.
	computeResult string
	// computeBefore and computeAfter are its parameters beside Pod and status.
	computeBefore []reflect.Value
	computeAfter  func(status *podStatus) []reflect.Value
	// compareContainer is linked to containerChanged; nil if there is none.
	compareContainer interface{}
	// compareSandbox is PodSandboxChanged or the method it was before.
	compareSandbox func(manager, pod, status reflect.Value) []reflect.Value
	// managerParts make what stands in the manager's fields of these names.
	managerParts = map[string]func() interface{}{
		"livenessManager":  func() interface{} { return proberesults.NewManager() },
		"readinessManager": func() interface{} { return proberesults.NewManager() },
		"startupManager":   func() interface{} { return proberesults.NewManager() },
	}
	// recordActuated tells the manager which resources were applied.
	recordActuated func(manager, pod reflect.Value, status *podStatus) error
)

func init() {
	keepTypesOf(kuberuntime.NewKubeGenericRuntimeManager)
	kube.podActions = &podRuntime{
		hasher:                 func() *containerHasher { return kube.containerHash },
		hasherWithoutResources: func() *containerHasher { return kube.containerHashWithoutResources },
		decide:                 decideByManager,
	}
}

func decideByManager(object interface{}, status *podStatus, probes map[string]probeResults) (*podDecision, error) {
	pod := reflect.ValueOf(object)
	kubeStatus, err := kubePodStatus(pod, status, "containerd")
	if err != nil {
		return nil, err
	}
	manager := reflect.New(privateType(runtimeManagerPackage, "kubeGenericRuntimeManager"))
	for name, part := range managerParts {
		if field := manager.Elem().FieldByName(name); field.IsValid() {
			settable(field).Set(reflect.ValueOf(part()))
		}
	}
	if err := setProbeResults(manager, pod, kubeStatus, probes); err != nil {
		return nil, err
	}
	if recordActuated != nil {
		if err := recordActuated(manager, pod, status); err != nil {
			return nil, err
		}
	}
	decision := &podDecision{}
	if compareContainer != nil {
		decision.Containers = compareContainers(pod, kubeStatus)
	}
	sandbox := compareSandbox(manager, pod, kubeStatus)
	decision.Sandbox = &comparedSandbox{Changed: sandbox[0].Bool(), Attempt: sandbox[1].Uint(), SandboxID: sandbox[2].String()}
	if len(sandbox) > 3 {
		decision.Sandbox.Reason = sandbox[3].String()
	}

	parameters := append([]reflect.Value{manager}, computeBefore...)
	parameters = append(parameters, pod, kubeStatus)
	if computeAfter != nil {
		parameters = append(parameters, computeAfter(status)...)
	}
	result := privateType(runtimeManagerPackage, computeResult)
	actions := callPrivate(computeActions, []reflect.Type{result}, parameters...)[0]
	decision.Actions, err = describeActions(pod.Elem().FieldByName("Spec"), actions)
	return decision, err
}

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
	for i := range from.Sandboxes {
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
	setField(sandbox, "CreatedAt", from.CreatedAt)
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
	linux := allocated(sandbox, "Linux")
	namespaces := linux.Elem().FieldByName("Namespaces")
	if !namespaces.IsValid() {
		return nil
	}
	options := allocated(allocated(linux, "Namespaces"), "Options")
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

// setField sets a field of the struct that a pointer points to; of one that the
// release does not have, nobody knows.
func setField(pointer reflect.Value, name string, value interface{}) {
	field := pointer.Elem().FieldByName(name)
	if !field.IsValid() {
		return
	}
	if field.Kind() == reflect.Ptr { // in the messages of 1.5
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
}

// allocated makes what a field points to.
func allocated(pointer reflect.Value, name string) reflect.Value {
	field := pointer.Elem().FieldByName(name)
	if field.IsNil() {
		field.Set(reflect.New(field.Type().Elem()))
	}
	return field
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

// compareContainers asks containerChanged about every container that has a status.
func compareContainers(pod, status reflect.Value) []comparedContainer {
	number, boolean := reflect.TypeOf(uint64(0)), reflect.TypeOf(false)
	compared := []comparedContainer{}
	spec := pod.Elem().FieldByName("Spec")
	for _, list := range []string{"InitContainers", "Containers"} {
		for containers, i := spec.FieldByName(list), 0; i < containers.Len(); i++ {
			container := containers.Index(i).Addr()
			name := container.Elem().FieldByName("Name").String()
			if found := statusOf(status, name); !found.IsNil() {
				said := callPrivate(compareContainer, []reflect.Type{number, number, boolean}, container, found)
				compared = append(compared, comparedContainer{name, said[0].Uint(), said[1].Uint(), said[2].Bool()})
			}
		}
	}
	return compared
}

// describeActions puts the kubelet's struct into words; lists keep their order,
// what is a map comes in the order of names.
func describeActions(spec, actions reflect.Value) (map[string]interface{}, error) {
	readable := reflect.New(actions.Type()).Elem()
	readable.Set(actions)
	described := map[string]interface{}{}
	for i := 0; i < readable.NumField(); i++ {
		name := readable.Type().Field(i).Name
		field := settable(readable.Field(i))
		key := strings.ToLower(name[:1]) + name[1:]
		switch name {
		case "SandboxID":
			key = "sandboxID"
			described[key] = field.String()
		case "NextInitContainerToStart":
			if described[key] = nil; !field.IsNil() {
				described[key] = nameOf(field)
			}
		case "InitContainersToStart":
			described[key] = namesAt(spec.FieldByName("InitContainers"), field)
		case "ContainersToStart":
			if field.Kind() == reflect.Map { // to 1.7: what to say to each
				describeStarts(described, spec.FieldByName("Containers"), field)
			} else {
				described[key] = namesAt(spec.FieldByName("Containers"), field)
			}
		case "EphemeralContainersToStart":
			described[key] = namesAt(spec.FieldByName("EphemeralContainers"), field)
		case "ContainersToKill":
			killed := []killedContainer{}
			for _, id := range field.MapKeys() {
				info := reflect.New(field.Type().Elem()).Elem()
				info.Set(field.MapIndex(id))
				k := killedContainer{ID: idOf(id), Name: info.FieldByName("name").String(), Message: info.FieldByName("message").String()}
				if reason := info.FieldByName("reason"); reason.IsValid() {
					k.Reason = reason.String()
				}
				killed = append(killed, k)
			}
			sort.Sort(byName(killed))
			described[key] = killed
		case "ContainersToKeep", "InitContainersToKeep":
			kept := []string{}
			for _, id := range field.MapKeys() {
				kept = append(kept, idOf(id))
			}
			sort.Strings(kept)
			described[key] = kept
		case "ContainersToUpdate":
			updates := map[string][]interface{}{}
			for _, resource := range field.MapKeys() {
				for list, i := field.MapIndex(resource), 0; i < list.Len(); i++ {
					updates[resource.String()] = append(updates[resource.String()], describeUpdate(spec, list.Index(i)))
				}
			}
			described[key] = updates
		case "ContainersToReset":
			resets := []interface{}{}
			for i := 0; i < field.Len(); i++ {
				info := field.Index(i)
				resets = append(resets, map[string]interface{}{
					"id":   idOf(settable(info.FieldByName("containerID"))),
					"name": nameOf(info.FieldByName("container")),
					"kill": info.FieldByName("kill").Bool(),
				})
			}
			described[key] = resets
		case "VolumesToUpsize", "VolumesToDownsize":
			volumes := []string{}
			for i := 0; i < field.Len(); i++ {
				volumes = append(volumes, field.Index(i).FieldByName("Name").String())
			}
			described[key] = volumes
		default:
			switch field.Kind() {
			case reflect.Bool:
				described[key] = field.Bool()
			case reflect.Uint32:
				described[key] = field.Uint()
			default:
				return nil, fmt.Errorf("no words for %s of %s", name, actions.Type())
			}
		}
	}
	return described, nil
}

func describeStarts(described map[string]interface{}, containers, messages reflect.Value) {
	names, said := []string{}, map[string]string{}
	for i := 0; i < containers.Len(); i++ {
		if message := messages.MapIndex(reflect.ValueOf(i)); message.IsValid() {
			name := containers.Index(i).FieldByName("Name").String()
			names = append(names, name)
			said[name] = message.String()
		}
	}
	described["containersToStart"] = names
	described["startMessages"] = said
}

func describeUpdate(spec, info reflect.Value) interface{} {
	container := info.FieldByName("container")
	if !container.IsValid() { // to 1.32 its place
		container = spec.FieldByName("Containers").Index(int(info.FieldByName("apiContainerIdx").Int())).Addr()
	}
	return map[string]interface{}{
		"id":      idOf(settable(info.FieldByName("kubeContainerID"))),
		"name":    nameOf(container),
		"desired": describeResources(info.FieldByName("desiredContainerResources")),
		"current": describeResources(info.FieldByName("currentContainerResources").Elem()),
	}
}

// describeResources takes the private struct of numbers: bytes and thousandths of CPUs.
func describeResources(resources reflect.Value) map[string]int64 {
	described := map[string]int64{}
	for i := 0; i < resources.NumField(); i++ {
		described[resources.Type().Field(i).Name] = resources.Field(i).Int()
	}
	return described
}

func idOf(id reflect.Value) string {
	readable := id.Interface().(kubecontainer.ContainerID)
	return readable.String()
}

func nameOf(container reflect.Value) string { return container.Elem().FieldByName("Name").String() }

// namesAt are the names of the containers at these places of a list.
func namesAt(containers, places reflect.Value) []string {
	names := []string{}
	for i := 0; i < places.Len(); i++ {
		names = append(names, containers.Index(int(places.Index(i).Int())).FieldByName("Name").String())
	}
	return names
}
