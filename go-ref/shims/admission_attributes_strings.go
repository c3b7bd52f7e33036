package main

// Shim, 1.1: a request's attributes name kind and resource as strings.

import (
	"k8s.io/kubernetes/pkg/admission"
	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/runtime"
)

// podAttributes are those of a request to create a Pod; the plugin asks for no
// others.
type podAttributes struct {
	admission.Attributes
	pod *api.Pod
}

func (a podAttributes) GetObject() runtime.Object { return a.pod }
func (a podAttributes) GetName() string           { return a.pod.Name }
func (a podAttributes) GetNamespace() string      { return admissionNamespace }
func (a podAttributes) GetKind() string           { return "Pod" }
func (a podAttributes) GetResource() string       { return string(api.ResourcePods) }
