package main

// Shim, from 1.35: computePodActions is told whether all containers restart.

import "reflect"

func init() {
	computeAfter = func(status *podStatus) []reflect.Value {
		return []reflect.Value{reflect.ValueOf(status.RestartAllContainers)}
	}
}
