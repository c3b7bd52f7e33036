package main

// Shim, 1.1 to 1.19: the canonical form of internal Endpoints. In 1.1 and 1.2 the
// bodies of its functions are in trampoline.s.

import (
	"hash"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/api/endpoints"
)

//go:linkname hashInternalEndpointsObject k8s.io/kubernetes/pkg/api/endpoints.hashObject
func hashInternalEndpointsObject(hasher hash.Hash, object interface{}) []byte

// A map is a pointer, so one declaration serves for maps of any type.
//
//go:linkname hashInternalAddresses k8s.io/kubernetes/pkg/api/endpoints.hashAddresses
func hashInternalAddresses(addresses unsafe.Pointer) string

func init() {
	kube.endpointsInternal = &endpointsHasher{
		repack:     endpoints.RepackSubsets,
		hashObject: hashInternalEndpointsObject,
		hashAddresses: func(addresses reflect.Value) string {
			return hashInternalAddresses(unsafe.Pointer(addresses.Pointer()))
		},
	}
}
