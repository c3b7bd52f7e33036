package main

// Shim, 1.1: the kubelet's file source.

import (
	"k8s.io/kubernetes/pkg/api"
	_ "k8s.io/kubernetes/pkg/kubelet/config"
	utilyaml "k8s.io/kubernetes/pkg/util/yaml"
)

// Its body is in trampoline.s.
func applyDefaults(pod *api.Pod, source string, isFile bool, nodeName string) error

func init() {
	// As tryDecodeSinglePod does up to the validation.
	kube.readFile = func(data []byte, source string, isFile bool, node string) (interface{}, error) {
		json, err := utilyaml.ToJSON(data)
		if err != nil {
			return nil, err
		}
		obj, err := api.Scheme.Decode(json)
		if err != nil {
			return nil, err
		}
		return obj, applyDefaults(obj.(*api.Pod), source, isFile, node)
	}
}
