package main

// Shim, from 1.33: the checkpoint of the resources allocated to Pods, and of those
// actuated, whose checksum is of a text.

import (
	"reflect"

	allocation "k8s.io/kubernetes/pkg/kubelet/allocation/state"
)

func init() {
	kube.allocationCheckpoint = &checkpointForm{
		file: "allocated_pods_state",
		formats: func() []checkpointFormat {
			return []checkpointFormat{{
				fresh: func() checkpoint { return &allocation.Checkpoint{} },
				sums:  ofField("Data"),
				seal: func(read checkpoint) (checkpoint, error) {
					info, err := read.(*allocation.Checkpoint).GetPodResourceCheckpointInfo()
					if err != nil {
						return nil, err
					}
					return allocation.NewCheckpoint(info)
				},
				others: []interface{}{allocation.PodResourceCheckpointInfo{}},
			}}
		},
		restore: func(dir string, r *request) (func() error, error) {
			result, err := callWith(reflect.ValueOf(allocation.NewStateCheckpoint), dir, "allocated_pods_state")
			if err != nil {
				return nil, err
			}
			state := result.Interface().(allocation.State)
			return func() error {
				for uid, info := range state.GetPodResourceInfoMap() {
					set := reflect.ValueOf(state).MethodByName("SetPodResourceInfo")
					if _, err := callWith(set, uid, info); err != nil {
						return err
					}
				}
				return nil
			}, nil
		},
	}
}
