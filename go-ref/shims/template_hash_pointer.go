package main

// Shim, 1.1: GetPodTemplateSpecHash, adler32 over a pointer to the internal template.

import (
	"fmt"
	"hash/adler32"

	"k8s.io/kubernetes/pkg/api"
	deploymentutil "k8s.io/kubernetes/pkg/util/deployment"
)

func init() {
	kube.templateHash = &templateHasher{
		internal: true,
		label: func(template interface{}, collisionCount *int64) string {
			return fmt.Sprint(deploymentutil.GetPodTemplateSpecHash(template.(*api.PodTemplateSpec)))
		},
		hashed: func(template interface{}) interface{} { return template },
		check: func(preimage []byte) string {
			return fmt.Sprint(adler32.Checksum(preimage))
		},
	}
}
