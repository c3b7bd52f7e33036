package main

// Shim, 1.5 to 1.37: what the kubelet's manager of a CRI runtime decides for a Pod.
//
// The manager gets what the deciding functions look at, and nothing else. All is
// done by reflection: the manager, its methods and the struct with their result
// are private, and fields come and go.

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

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
	// What stands in the manager's fields of these names, where the release has them
	// and decisions ask for them.
	internalLifecycle, runtimeService, allocationManager, actuatedState func() interface{}
	// findInit tells how far init containers are, where computeActions does not.
	findInit func(pod, status reflect.Value) *initProgress
	// recordActuated tells the manager which resources were applied.
	recordActuated func(manager, pod reflect.Value, status *podStatus) error
)

func init() {
	kept = kuberuntime.NewKubeGenericRuntimeManager
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
	probeManager := func() interface{} { return proberesults.NewManager() }
	for name, part := range map[string]func() interface{}{
		"livenessManager":   probeManager,
		"readinessManager":  probeManager,
		"startupManager":    probeManager,
		"internalLifecycle": internalLifecycle,
		"runtimeService":    runtimeService,
		"allocationManager": allocationManager,
		"actuatedState":     actuatedState,
	} {
		if field := manager.Elem().FieldByName(name); field.IsValid() && part != nil {
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
	if findInit != nil {
		decision.Init = findInit(pod, kubeStatus)
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
			if field.Kind() == reflect.Map { // to 1.7
				described[key], described["startMessages"] = describeStarts(spec.FieldByName("Containers"), field)
			} else {
				described[key] = namesAt(spec.FieldByName("Containers"), field)
			}
		case "EphemeralContainersToStart":
			described[key] = namesAt(spec.FieldByName("EphemeralContainers"), field)
		case "ContainersToKill":
			described[key] = describeKills(field)
		case "ContainersToKeep", "InitContainersToKeep":
			described[key] = sortedIDs(field, idOf)
		case "ContainersToUpdate":
			described[key] = describeUpdates(spec, field)
		case "ContainersToReset":
			described[key] = describeResets(field)
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

func describeKills(kills reflect.Value) []killedContainer {
	killed := []killedContainer{}
	for _, id := range kills.MapKeys() {
		info := kills.MapIndex(id)
		k := killedContainer{
			ID:      idOf(id),
			Name:    info.FieldByName("name").String(),
			Message: withoutContainer(info.FieldByName("message").String()),
		}
		if reason := info.FieldByName("reason"); reason.IsValid() { // from 1.21
			k.Reason = reason.String()
		}
		killed = append(killed, k)
	}
	sort.Sort(byName(killed))
	return killed
}

func describeResets(list reflect.Value) []interface{} {
	resets := []interface{}{}
	for i := 0; i < list.Len(); i++ {
		info := list.Index(i)
		resets = append(resets, map[string]interface{}{
			"id":   idOf(settable(info.FieldByName("containerID"))),
			"name": nameOf(info.FieldByName("container")),
			"kill": info.FieldByName("kill").Bool(),
		})
	}
	return resets
}

// describeUpdates takes the updates of each resource, in their order.
func describeUpdates(spec, byResource reflect.Value) map[string][]interface{} {
	updates := map[string][]interface{}{}
	for _, resource := range byResource.MapKeys() {
		for list, i := byResource.MapIndex(resource), 0; i < list.Len(); i++ {
			updates[resource.String()] = append(updates[resource.String()], describeUpdate(spec, list.Index(i)))
		}
	}
	return updates
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

// namesAt are the names of the containers at these places of a list.
func namesAt(containers, places reflect.Value) []string {
	names := []string{}
	for i := 0; i < places.Len(); i++ {
		names = append(names, containers.Index(int(places.Index(i).Int())).FieldByName("Name").String())
	}
	return names
}
