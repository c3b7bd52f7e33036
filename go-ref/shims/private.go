package main

// Shim, 1.5 to 1.37 (go1.7 to go1.26): types that their package keeps to itself,
// and functions that take or return them.

import (
	"fmt"
	"reflect"
	"unsafe" // for go:linkname, too
)

//go:linkname typelinks reflect.typelinks
func typelinks() (sections []unsafe.Pointer, offsets [][]int32)

var privateTypes = map[string]reflect.Type{}

// privateType finds a type by name among those that the linker keeps for package
// reflect: all that became an interface's value somewhere, and what they consist of.
func privateType(pkg, name string) reflect.Type {
	if known, ok := privateTypes[pkg+"."+name]; ok {
		return known
	}
	sections, offsets := typelinks()
	for i, section := range sections {
		for _, offset := range offsets[i] {
			var pointer interface{}
			*(*unsafe.Pointer)(unsafe.Pointer(&pointer)) = unsafe.Pointer(uintptr(section) + uintptr(offset))
			t := reflect.TypeOf(pointer)
			if t.Kind() == reflect.Ptr && t.Elem().Name() == name && t.Elem().PkgPath() == pkg {
				privateTypes[pkg+"."+name] = t.Elem()
				return t.Elem()
			}
		}
	}
	panic(fmt.Sprintf("no type %s in %s", name, pkg))
}

// kept is a function that nobody calls, for whose sake the linker keeps the types
// that it makes values of.
var kept interface{}

// callPrivate calls a function of which only the code is known, by a declaration
// without parameters that go:linkname ties to it.
func callPrivate(linked interface{}, results []reflect.Type, parameters ...reflect.Value) []reflect.Value {
	types := make([]reflect.Type, len(parameters))
	for i, parameter := range parameters {
		types[i] = parameter.Type()
	}
	code := reflect.ValueOf(linked).Pointer()
	closure := &code // a func is a pointer to what begins with its code's address
	function := reflect.NewAt(reflect.FuncOf(types, results, false), unsafe.Pointer(&closure)).Elem()
	return function.Call(parameters)
}
