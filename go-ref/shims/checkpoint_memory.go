package main

// Shim, 1.21 to 1.37: the memory manager's checkpoint. Other shims name its formats.

import (
	"reflect"

	memory "k8s.io/kubernetes/pkg/kubelet/cm/memorymanager/state"
)

func init() {
	kube.memoryCheckpoint = &checkpointForm{
		file:    "memory_manager_state",
		formats: func() []checkpointFormat { return inUse(memoryFormats()) },
		restore: func(dir string, r *request) (func() error, error) {
			construct := reflect.ValueOf(memory.NewCheckpointState)
			state, err := callWith(construct, dir, "memory_manager_state", policyOf(r.Text))
			if err != nil {
				return nil, err
			}
			return again(state, "MachineState"), nil
		},
	}
}
