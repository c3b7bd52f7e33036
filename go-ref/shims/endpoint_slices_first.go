package main

// Shim, 1.16: keys and hashes of what is in EndpointSlices, private to their
// controller.

import (
	"reflect"
	"unsafe"

	discovery "k8s.io/api/discovery/v1alpha1"
	_ "k8s.io/kubernetes/pkg/controller/endpointslice"
)

//go:linkname newPortMapKey k8s.io/kubernetes/pkg/controller/endpointslice.newPortMapKey
func newPortMapKey(ports []discovery.EndpointPort) string

//go:linkname hashEndpoint k8s.io/kubernetes/pkg/controller/endpointslice.hashEndpoint
func hashEndpoint(endpoint unsafe.Pointer) string

func init() {
	kube.endpointSlices = &slicesHasher{
		portMapKey: newPortMapKey,
		slice:      discovery.EndpointSlice{},
		endpoint:   func(endpoint reflect.Value) string { return hashEndpoint(unsafe.Pointer(endpoint.Pointer())) },
	}
}
