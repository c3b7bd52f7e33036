package main

// Shim, 1.7: ComputeHash with a collision count of 64 bits; the label is decimal.

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"k8s.io/kubernetes/pkg/api/v1"
	"k8s.io/kubernetes/pkg/controller"
)

func init() {
	kube.templateHash = &templateHasher{
		counts: true,
		label: func(template interface{}, collisionCount *int64) string {
			return fmt.Sprint(controller.ComputeHash(template.(*v1.PodTemplateSpec), collisionCount))
		},
		hashed: func(template interface{}) interface{} { return *template.(*v1.PodTemplateSpec) },
		tail: func(collisionCount int64) []byte {
			bytes := make([]byte, 8)
			binary.LittleEndian.PutUint64(bytes, uint64(collisionCount))
			return bytes
		},
		check: func(preimage []byte) string {
			h := fnv.New32a()
			h.Write(preimage)
			return fmt.Sprint(h.Sum32())
		},
	}
}
