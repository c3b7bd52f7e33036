package main

// Shim, 1.27 to 1.30: the DRA manager's checkpoint, of which a dump is hashed.

import (
	dra "k8s.io/kubernetes/pkg/kubelet/cm/dra/state"
)

func init() {
	kube.draCheckpoint = &checkpointForm{
		file: "dra_manager_state",
		formats: func() []checkpointFormat {
			return []checkpointFormat{{
				fresh:  func() checkpoint { return dra.NewDRAManagerCheckpoint() },
				sums:   ofItself(),
				others: olderDRA,
			}}
		},
		restore: func(dir string, r *request) (func() error, error) {
			state, err := dra.NewCheckpointState(dir, "dra_manager_state")
			if err != nil {
				return nil, err
			}
			claims, err := state.GetOrCreate()
			return func() error { return state.Store(claims) }, err
		},
	}
}
