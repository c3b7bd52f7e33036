package main

// Shim, from 1.35: the manager's own state knows which resources were applied, to
// containers, to the Pod and (from 1.37) to volumes in memory.

import (
	"encoding/json"
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	actuated "k8s.io/kubernetes/pkg/kubelet/allocation/state"
)

// actuatedPod is what was applied to the whole Pod.
type actuatedPod struct {
	Resources *v1.ResourceRequirements      `json:"resources"`
	EmptyDirs map[string]*resource.Quantity `json:"emptyDirs"`
}

func init() {
	actuatedState = func() interface{} {
		return callWithZeros(actuated.NewStateMemory)[0].Interface()
	}
	recordActuated = func(manager, pod reflect.Value, status *podStatus) error {
		applied := settable(manager.Elem().FieldByName("actuatedState")).Elem()
		object := pod.Interface().(*v1.Pod)
		if err := eachActuated(object, status, func(name string, resources v1.ResourceRequirements) error {
			return callWithLogger(applied.MethodByName("SetContainerResources"), object.UID, name, resources)
		}); err != nil {
			return err
		}
		of := actuatedPod{object.Spec.Resources, map[string]*resource.Quantity{}}
		for _, volume := range object.Spec.Volumes {
			if volume.EmptyDir != nil && volume.EmptyDir.SizeLimit != nil {
				of.EmptyDirs[volume.Name] = volume.EmptyDir.SizeLimit
			}
		}
		if status.Actuated != nil {
			var told actuatedPod
			if err := json.Unmarshal(*status.Actuated, &told); err != nil {
				return fmt.Errorf("status: %v", err)
			}
			if told.Resources != nil {
				of.Resources = told.Resources
			}
			if told.EmptyDirs != nil {
				of.EmptyDirs = told.EmptyDirs
			}
		}
		if of.Resources != nil {
			if err := callWithLogger(applied.MethodByName("SetPodLevelResources"), object.UID, of.Resources); err != nil {
				return err
			}
		}
		if set := applied.MethodByName("SetEmptyDirVolumeLimit"); set.IsValid() {
			for name, limit := range of.EmptyDirs {
				if err := callWithLogger(set, object.UID, name, limit); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// callWithLogger calls a function that may take a logger first, and may fail.
func callWithLogger(function reflect.Value, parameters ...interface{}) error {
	var values []reflect.Value
	if function.Type().NumIn() > len(parameters) {
		values = append(values, reflect.Zero(function.Type().In(0)))
	}
	for _, parameter := range parameters {
		values = append(values, reflect.ValueOf(parameter))
	}
	err, _ := function.Call(values)[0].Interface().(error)
	return err
}
