package main

// Shim, from 1.33: which resources the kubelet applied to containers.

import (
	"encoding/json"
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"
)

// eachActuated tells what was applied to each container: what the status says, or
// else what the Pod says.
func eachActuated(pod *v1.Pod, status *podStatus, record func(name string, resources v1.ResourceRequirements) error) error {
	for _, containers := range [][]v1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, container := range containers {
			resources := container.Resources
			for _, c := range status.Containers {
				if c.Name == container.Name && c.Actuated != nil {
					resources = v1.ResourceRequirements{}
					if err := json.Unmarshal(*c.Actuated, &resources); err != nil {
						return fmt.Errorf("status: %v", err)
					}
					break // the newest
				}
			}
			if err := record(container.Name, resources); err != nil {
				return err
			}
		}
	}
	return nil
}

// callWithZeros calls a function with the zero value of each parameter.
func callWithZeros(function interface{}) []reflect.Value {
	f := reflect.ValueOf(function)
	parameters := make([]reflect.Value, f.Type().NumIn())
	for i := range parameters {
		parameters[i] = reflect.Zero(f.Type().In(i))
	}
	return f.Call(parameters)
}
