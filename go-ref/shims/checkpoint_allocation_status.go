package main

// Shim, 1.32: the checkpoint of the resources allocated to Pods, whose checksum is
// of a text.

import (
	"reflect"

	allocation "k8s.io/kubernetes/pkg/kubelet/status/state"
)

func init() {
	kube.allocationCheckpoint = &checkpointForm{
		file: "pod_status_manager_state",
		formats: func() []checkpointFormat {
			return []checkpointFormat{{
				fresh: func() checkpoint { return &allocation.Checkpoint{} },
				sums:  ofField("Data"),
				seal: func(read checkpoint) (checkpoint, error) {
					info, err := read.(*allocation.Checkpoint).GetPodResourceAllocationInfo()
					if err != nil {
						return nil, err
					}
					return allocation.NewCheckpoint(info)
				},
				others: []interface{}{allocation.PodResourceAllocationInfo{}},
			}}
		},
		restore: func(dir string, r *request) (func() error, error) {
			state, err := allocation.NewStateCheckpoint(dir, "pod_status_manager_state")
			return again(reflect.ValueOf(state), "PodResourceAllocation"), err
		},
	}
}
