package main

// Shim, 1.6 to 1.37: the canonical form of v1 Endpoints.

import (
	"hash"
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/api/v1/endpoints"
)

//go:linkname hashEndpointsObject k8s.io/kubernetes/pkg/api/v1/endpoints.hashObject
func hashEndpointsObject(hasher hash.Hash, object interface{}) []byte

// A map is a pointer, so one declaration serves for maps of any type.
//
//go:linkname hashAddresses k8s.io/kubernetes/pkg/api/v1/endpoints.hashAddresses
func hashAddresses(addresses unsafe.Pointer) string

func init() {
	kube.endpoints = &endpointsHasher{
		repack:     endpoints.RepackSubsets,
		hashObject: hashEndpointsObject,
		hashAddresses: func(addresses reflect.Value) string {
			return hashAddresses(unsafe.Pointer(addresses.Pointer()))
		},
	}
}
