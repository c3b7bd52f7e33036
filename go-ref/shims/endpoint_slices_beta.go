package main

// Shim, 1.17 to 1.20: keys and hashes of what is in EndpointSlices.

import (
	"reflect"
	"unsafe"

	discovery "k8s.io/api/discovery/v1beta1"
	_ "k8s.io/kubernetes/pkg/controller/endpointslice"
	endpointutil "k8s.io/kubernetes/pkg/controller/util/endpoint"
)

//go:linkname hashEndpoint k8s.io/kubernetes/pkg/controller/endpointslice.hashEndpoint
func hashEndpoint(endpoint unsafe.Pointer) string

func init() {
	kube.endpointSlices = &slicesHasher{
		portMapKey: endpointutil.NewPortMapKey,
		slice:      discovery.EndpointSlice{},
		endpoint:   func(endpoint reflect.Value) string { return hashEndpoint(unsafe.Pointer(endpoint.Pointer())) },
	}
}
