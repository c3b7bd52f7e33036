package main

import (
	"reflect"
	"runtime"
	"sort"
	"strconv"
)

// The schema: Go's own view of every type that can be reached from the workload
// kinds, versioned and internal, unexported fields included. Where the engine's
// schemas come from.

type schemaKind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Type       string `json:"type"`
	Internal   string `json:"internal,omitempty"`
}

type schemaType struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Kind    string        `json:"kind"`
	Elem    string        `json:"elem,omitempty"`
	Key     string        `json:"key,omitempty"`
	Fields  []schemaField `json:"fields,omitempty"`
	Methods []string      `json:"methods,omitempty"`
}

type schemaField struct {
	Name       string `json:"n"`
	Type       string `json:"t"`
	Tag        string `json:"tag,omitempty"`
	Protobuf   string `json:"pb,omitempty"`
	Anonymous  bool   `json:"anon,omitempty"`
	Unexported bool   `json:"unexp,omitempty"`
}

// schemaMethods are the methods that decide how a value is read, written or
// left out.
var schemaMethods = []string{"IsZero", "MarshalJSON", "MarshalText", "Size", "UnmarshalJSON", "UnmarshalText"}

// schemaOpaque are named types whose insides no printer looks into.
var schemaOpaque = map[string]bool{
	"time.Location": true,
}

type schemaWalk struct {
	types map[string]*schemaType
}

func answerSchema(r *request, a *answer) error {
	walk := schemaWalk{map[string]*schemaType{}}
	kinds := []schemaKind{}
	for _, k := range kube.kinds() {
		entry := schemaKind{APIVersion: k.apiVersion, Kind: k.name, Type: walk.ref(k.versioned)}
		if k.internal != nil {
			entry.Internal = walk.ref(k.internal)
		}
		kinds = append(kinds, entry)
	}
	sort.Sort(byAPIVersion(kinds))
	checkpoints, endpoints := walk.checkpoints(), walk.endpoints()
	ids := []string{}
	for id := range walk.types {
		ids = append(ids, id)
	}
	sortStrings(ids)
	types := []*schemaType{}
	for _, id := range ids {
		types = append(types, walk.types[id])
	}

	s := &answer{}
	s.put("release", releaseName)
	s.put("toolchain", runtime.Version())
	s.put("kinds", kinds)
	if len(checkpoints) > 0 {
		s.put("checkpoints", checkpoints)
	}
	if len(endpoints) > 0 {
		s.put("endpoints", endpoints)
	}
	if kube.featureGates != nil {
		s.put("featureGates", kube.featureGates())
	}
	if err := s.put("types", types); err != nil {
		return err
	}
	line := s.line()
	a.raw("schema", line[:len(line)-1])
	return nil
}

// ref is how a field tells its type; it notes every named type on the way.
func (w *schemaWalk) ref(t reflect.Type) string {
	if t.Name() != "" {
		if t.PkgPath() == "" {
			return t.Name() // predeclared
		}
		id := t.PkgPath() + "." + t.Name()
		w.note(id, t)
		return id
	}
	switch t.Kind() {
	case reflect.Ptr:
		return "*" + w.ref(t.Elem())
	case reflect.Slice:
		return "[]" + w.ref(t.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + w.ref(t.Elem())
	case reflect.Map:
		return "map[" + w.ref(t.Key()) + "]" + w.ref(t.Elem())
	case reflect.Func:
		return "func"
	case reflect.Chan:
		return "chan"
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return "interface {}"
		}
	}
	return t.String()
}

func (w *schemaWalk) note(id string, t reflect.Type) {
	if w.types[id] != nil {
		return
	}
	entry := &schemaType{ID: id, Name: t.String(), Kind: t.Kind().String()}
	w.types[id] = entry
	for _, name := range schemaMethods {
		if _, ok := reflect.PtrTo(t).MethodByName(name); ok {
			entry.Methods = append(entry.Methods, name)
		}
	}
	if schemaOpaque[id] || t.PkgPath() == "sync" {
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := 0; i < t.NumField(); i++ {
			f := t.Field(i)
			// In go1.4 and go1.5 an embedded unexported struct has a PkgPath
			// too, and so it has in every later toolchain.
			entry.Fields = append(entry.Fields, schemaField{
				Name:       f.Name,
				Type:       w.ref(f.Type),
				Tag:        f.Tag.Get("json"),
				Protobuf:   f.Tag.Get("protobuf"),
				Anonymous:  f.Anonymous,
				Unexported: f.PkgPath != "",
			})
		}
	case reflect.Map:
		entry.Key = w.ref(t.Key())
		entry.Elem = w.ref(t.Elem())
	case reflect.Slice, reflect.Array, reflect.Ptr:
		entry.Elem = w.ref(t.Elem())
	}
}

type byAPIVersion []schemaKind

func (s byAPIVersion) Len() int      { return len(s) }
func (s byAPIVersion) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s byAPIVersion) Less(i, j int) bool {
	if s[i].APIVersion != s[j].APIVersion {
		return s[i].APIVersion < s[j].APIVersion
	}
	return s[i].Kind < s[j].Kind
}
