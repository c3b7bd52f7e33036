package main

// Shim, 1.2: a request's attributes name kind and resource without versions.

import (
	"k8s.io/kubernetes/pkg/admission"
	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/api/unversioned"
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
func (a podAttributes) GetKind() unversioned.GroupKind {
	return api.Kind("Pod")
}
func (a podAttributes) GetResource() unversioned.GroupResource {
	return api.Resource("pods")
}
