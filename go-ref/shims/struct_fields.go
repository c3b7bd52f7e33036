package main

// Shim, 1.1 to 1.37: fields of structs that differ between releases.

import (
	"reflect"
	"sort"
	"unsafe"
)

// setField sets a field of the struct that a pointer points to; of one that the
// release does not have, nobody knows.
func setField(pointer reflect.Value, name string, value interface{}) {
	field := pointer.Elem().FieldByName(name)
	if !field.IsValid() {
		return
	}
	if field.Kind() == reflect.Ptr { // in the messages of 1.5
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
}

// allocated makes what a field points to.
func allocated(pointer reflect.Value, name string) reflect.Value {
	field := pointer.Elem().FieldByName(name)
	if field.IsNil() {
		field.Set(reflect.New(field.Type().Elem()))
	}
	return field
}

// settable is a private field of a variable, to read and to write.
func settable(field reflect.Value) reflect.Value {
	return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
}

// sortedIDs are the keys of a map, as text.
func sortedIDs(ids reflect.Value, text func(reflect.Value) string) []string {
	sorted := []string{}
	for _, id := range ids.MapKeys() {
		sorted = append(sorted, text(id))
	}
	sort.Strings(sorted)
	return sorted
}
