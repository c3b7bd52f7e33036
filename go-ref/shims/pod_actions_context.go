package main

// Shim, from 1.27: computePodActions takes a context.

import (
	"context"
	"reflect"
)

func init() {
	ctx := context.Background()
	computeBefore = []reflect.Value{reflect.ValueOf(&ctx).Elem()} // as the interface
}
