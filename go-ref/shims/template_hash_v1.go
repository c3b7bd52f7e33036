package main

// Shim, 1.6: GetPodTemplateSpecHash, adler32 over the v1 template.

import (
	"fmt"
	"hash/adler32"

	"k8s.io/kubernetes/pkg/api/v1"
	deploymentutil "k8s.io/kubernetes/pkg/controller/deployment/util"
)

func init() {
	kube.templateHash = &templateHasher{
		label: func(template interface{}, collisionCount *int64) string {
			return fmt.Sprint(deploymentutil.GetPodTemplateSpecHash(*template.(*v1.PodTemplateSpec)))
		},
		hashed: func(template interface{}) interface{} { return *template.(*v1.PodTemplateSpec) },
		check: func(preimage []byte) string {
			return fmt.Sprint(adler32.Checksum(preimage))
		},
	}
}
