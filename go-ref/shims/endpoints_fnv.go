package main

// Shim, from 1.35: what Endpoints and EndpointSlices are hashed with.

import "hash/fnv"

func init() { kube.endpointsDigest = fnv.New128a }
