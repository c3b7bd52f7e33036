package main

// Shim, 1.3 and 1.4: the kubelet's file source.

import (
	_ "unsafe" // for go:linkname

	"k8s.io/kubernetes/pkg/api"
	_ "k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/runtime"
	utilyaml "k8s.io/kubernetes/pkg/util/yaml"
)

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(pod *api.Pod, source string, isFile bool, nodeName string) error

func init() {
	// As tryDecodeSinglePod does up to the validation.
	kube.readFile = func(data []byte, source string, isFile bool, node string) (interface{}, error) {
		json, err := utilyaml.ToJSON(data)
		if err != nil {
			return nil, err
		}
		obj, err := runtime.Decode(api.Codecs.UniversalDecoder(), json)
		if err != nil {
			return nil, err
		}
		return obj, applyDefaults(obj.(*api.Pod), source, isFile, node)
	}
}
