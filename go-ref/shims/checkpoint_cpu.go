package main

// Shim, 1.12 to 1.37: the CPU manager's checkpoint. Other shims name its formats.

import (
	"encoding/json"
	"reflect"

	cpus "k8s.io/kubernetes/pkg/kubelet/cm/cpumanager/state"
)

func init() {
	kube.cpuCheckpoint = &checkpointForm{
		file:    "cpu_manager_state",
		formats: func() []checkpointFormat { return inUse(andOlder(cpuFormats(), kube.cpuCheckpointV1)) },
		restore: func(dir string, r *request) (func() error, error) {
			construct := reflect.ValueOf(cpus.NewCheckpointState)
			values := []interface{}{dir, "cpu_manager_state", policyOf(r.Text)}
			if last := construct.Type().NumIn() - 1; construct.Type().In(last).Kind() == reflect.Map {
				known := reflect.MakeMap(construct.Type().In(last))
				for _, c := range r.Containers {
					known.MethodByName("Add").Call([]reflect.Value{
						reflect.ValueOf(c.PodUID), reflect.ValueOf(c.Name), reflect.ValueOf(c.ID),
					})
				}
				values = append(values, known.Interface())
			}
			state, err := callWith(construct, values...)
			if err != nil {
				return nil, err
			}
			return again(state, "DefaultCPUSet"), nil
		},
	}
}

// policyOf is the policy that a file names: the kubelet has the same.
func policyOf(text string) string {
	var file struct {
		PolicyName string `json:"policyName"`
	}
	json.Unmarshal([]byte(text), &file)
	return file.PolicyName
}
