package main

// Shim, 1.8 to 1.11: ComputeHash returns a number, and the label is decimal.

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller"
)

func init() {
	kube.templateHash = &templateHasher{
		counts: true,
		label: func(template interface{}, collisionCount *int64) string {
			if collisionCount == nil {
				return fmt.Sprint(controller.ComputeHash(template.(*v1.PodTemplateSpec), nil))
			}
			count := int32(*collisionCount)
			return fmt.Sprint(controller.ComputeHash(template.(*v1.PodTemplateSpec), &count))
		},
		hashed: func(template interface{}) interface{} { return *template.(*v1.PodTemplateSpec) },
		tail: func(collisionCount int64) []byte {
			bytes := make([]byte, 8)
			binary.LittleEndian.PutUint32(bytes, uint32(collisionCount))
			return bytes
		},
		check: func(preimage []byte) string {
			h := fnv.New32a()
			h.Write(preimage)
			return fmt.Sprint(h.Sum32())
		},
	}
}
