package main

// Shim, from 1.21: Indexed Jobs.

import (
	_ "unsafe" // for go:linkname

	v1 "k8s.io/api/core/v1"
	_ "k8s.io/kubernetes/pkg/controller/job"
)

//go:linkname addCompletionIndexEnvVariables k8s.io/kubernetes/pkg/controller/job.addCompletionIndexEnvVariables
func addCompletionIndexEnvVariables(template *v1.PodTemplateSpec)

func init() {
	completionIndex = addCompletionIndexEnvVariables
}
