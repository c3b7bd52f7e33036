package main

// Shim, 1.3 to 1.5: a request's attributes name kind and resource with versions.

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
func (a podAttributes) GetKind() unversioned.GroupVersionKind {
	return api.Kind("Pod").WithVersion("version")
}
func (a podAttributes) GetResource() unversioned.GroupVersionResource {
	return api.Resource("pods").WithVersion("version")
}
