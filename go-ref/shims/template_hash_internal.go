package main

// Shim, 1.2 to 1.5: GetPodTemplateSpecHash, adler32 over the internal template.

import (
	"fmt"
	"hash/adler32"

	"k8s.io/kubernetes/pkg/api"
	podutil "k8s.io/kubernetes/pkg/util/pod"
)

func init() {
	kube.templateHash = &templateHasher{
		internal: true,
		label: func(template interface{}, collisionCount *int64) string {
			return fmt.Sprint(podutil.GetPodTemplateSpecHash(*template.(*api.PodTemplateSpec)))
		},
		hashed: func(template interface{}) interface{} { return *template.(*api.PodTemplateSpec) },
		check: func(preimage []byte) string {
			return fmt.Sprint(adler32.Checksum(preimage))
		},
	}
}
