package main

// Shim, 1.16 to 1.34: the kubelet's file source.

import (
	_ "unsafe" // for go:linkname

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/kubelet/config"
)

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(pod *api.Pod, source string, isFile bool, nodeName types.NodeName) error

func init() {
	// As tryDecodeSinglePod does up to the validation.
	kube.readFile = func(data []byte, source string, isFile bool, node string) (interface{}, error) {
		json, err := utilyaml.ToJSON(data)
		if err != nil {
			return nil, err
		}
		obj, err := runtime.Decode(legacyscheme.Codecs.UniversalDecoder(), json)
		if err != nil {
			return nil, err
		}
		return obj, applyDefaults(obj.(*api.Pod), source, isFile, types.NodeName(node))
	}
}
