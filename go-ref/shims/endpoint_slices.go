package main

// Shim, from 1.28: keys and hashes of what is in EndpointSlices.

import (
	"reflect"
	"unsafe"

	discovery "k8s.io/api/discovery/v1"
	endpointutil "k8s.io/endpointslice/util"
)

//go:linkname hashEndpoint k8s.io/endpointslice/util.hashEndpoint
func hashEndpoint(endpoint unsafe.Pointer) string

func init() {
	kube.endpointSlices = &slicesHasher{
		portMapKey: endpointutil.NewPortMapKey,
		slice:      discovery.EndpointSlice{},
		endpoint:   func(endpoint reflect.Value) string { return hashEndpoint(unsafe.Pointer(endpoint.Pointer())) },
	}
}
