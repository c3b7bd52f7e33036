package main

// Shim, 1.27 to 1.31: the checkpoint of the resources allocated to Pods, of which
// a dump is hashed.

import (
	"reflect"

	allocation "k8s.io/kubernetes/pkg/kubelet/status/state"
)

func init() {
	kube.allocationCheckpoint = &checkpointForm{
		file: "pod_status_manager_state",
		formats: func() []checkpointFormat {
			return []checkpointFormat{{
				fresh: func() checkpoint { return allocation.NewPodResourceAllocationCheckpoint() },
				sums:  ofItself(),
			}}
		},
		restore: func(dir string, r *request) (func() error, error) {
			state, err := allocation.NewStateCheckpoint(dir, "pod_status_manager_state")
			return again(reflect.ValueOf(state), "PodResourceAllocation"), err
		},
	}
}
