package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"reflect"
)

// endpointsHasher are the functions that give Endpoints their canonical form, of
// either the versioned types or the internal ones.
type endpointsHasher struct {
	// repack is RepackSubsets.
	repack interface{}
	// hashObject is what subsets and ports are put in order by.
	hashObject func(hasher hash.Hash, object interface{}) []byte
	// hashAddresses is called with a map from pointers to addresses to whether
	// they are ready.
	hashAddresses func(addresses reflect.Value) string
}

// slicesHasher are the functions by which controllers tell apart what is in
// EndpointSlices.
type slicesHasher struct {
	// portMapKey is NewPortMapKey. It sorts the ports in place.
	portMapKey interface{}
	// slice is an EndpointSlice of the version that it takes.
	slice interface{}
	// endpoint is hashEndpoint. It sorts the addresses in place.
	endpoint func(endpoint reflect.Value) string
}

type subsetAnswer struct {
	Hash          string   `json:"hash"`
	Addresses     string   `json:"addresses"`
	Ports         []string `json:"ports"`
	Preimage      string   `json:"preimage,omitempty"`
	PortPreimages []string `json:"portPreimages,omitempty"`
}

// answerEndpoints hashes the parts of Endpoints, of an EndpointSlice, or a list of
// an EndpointSlice's ports.
func answerEndpoints(r *request, a *answer) error {
	if len(r.Object) > 0 && r.Object[0] == '[' {
		return answerSlice(r, a, []byte(`{"ports":`+string(r.Object)+`}`))
	}
	var meta struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(r.Object, &meta); err != nil {
		return err
	}
	if meta.Kind == "EndpointSlice" {
		return answerSlice(r, a, r.Object)
	}
	hasher, form := kube.endpoints, r.Form
	if form == "internal" || hasher == nil && form == "" {
		hasher, form = kube.endpointsInternal, "internal"
	}
	if hasher == nil {
		return skipped("no such functions for the " + form + " types in " + releaseName)
	}
	obj, err := kube.decode(r.Object)
	if err != nil {
		return err
	}
	if form == "internal" {
		if obj, err = kube.toInternal(obj); err != nil {
			return err
		}
	}
	field := reflect.ValueOf(obj).Elem().FieldByName("Subsets")
	if !field.IsValid() {
		return fmt.Errorf("%T is no Endpoints", obj)
	}
	subsets := reflect.ValueOf(hasher.repack).Call([]reflect.Value{field})[0]
	list := []subsetAnswer{}
	for i := 0; i < subsets.Len(); i++ {
		s, err := hasher.ask(r, subsets.Index(i))
		if err != nil {
			return err
		}
		if i > 0 && s.Hash < list[i-1].Hash {
			return fmt.Errorf("the real functions put subset %d in another order", i)
		}
		list = append(list, s)
	}
	field.Set(subsets)
	if form == "internal" {
		if obj, err = kube.toVersioned(obj, "v1"); err != nil {
			return err
		}
	}
	if err := a.put("subsets", list); err != nil {
		return err
	}
	return a.put("repacked", reflect.ValueOf(obj).Elem().FieldByName("Subsets").Interface())
}

func (h *endpointsHasher) ask(r *request, subset reflect.Value) (s subsetAnswer, err error) {
	if s.Hash, s.Preimage, err = h.of(r, subset); err != nil {
		return s, err
	}
	ports := subset.FieldByName("Ports")
	for i := 0; i < ports.Len(); i++ {
		sum, preimage, err := h.of(r, ports.Index(i))
		if err != nil {
			return s, err
		}
		if i > 0 && sum < s.Ports[i-1] {
			return s, fmt.Errorf("the real functions put port %d in another order", i)
		}
		s.Ports = append(s.Ports, sum)
		if r.Preimage {
			s.PortPreimages = append(s.PortPreimages, preimage)
		}
	}
	ready := subset.FieldByName("Addresses")
	set := reflect.MakeMap(reflect.MapOf(reflect.PtrTo(ready.Type().Elem()), reflect.TypeOf(true)))
	for _, name := range []string{"Addresses", "NotReadyAddresses"} {
		// There are no addresses that are not ready in the first releases.
		if list := subset.FieldByName(name); list.IsValid() {
			for i := 0; i < list.Len(); i++ {
				set.SetMapIndex(list.Index(i).Addr(), reflect.ValueOf(name == "Addresses"))
			}
		}
	}
	s.Addresses = h.hashAddresses(set)
	return s, nil
}

// of hashes a subset or a port.
func (h *endpointsHasher) of(r *request, value reflect.Value) (sum, preimage string, err error) {
	sum = hex.EncodeToString(h.hashObject(kube.endpointsDigest(), value.Interface()))
	if r.Preimage {
		preimage, err = checkedDump(value.Interface(), sum)
	}
	return sum, preimage, err
}

// checkedDump is the preimage of a hash in hexadecimal digits.
func checkedDump(value interface{}, want string) (string, error) {
	text := recordDeepHash(value)
	digest := kube.endpointsDigest()
	digest.Write(text)
	if got := hex.EncodeToString(digest.Sum(nil)); got != want {
		return "", fmt.Errorf("the recorded preimage has the hash %s, the real function says %s", got, want)
	}
	return string(text), nil
}

func answerSlice(r *request, a *answer, data []byte) error {
	if kube.endpointSlices == nil {
		return skipped("no EndpointSlices in " + releaseName)
	}
	slice := reflect.New(reflect.TypeOf(kube.endpointSlices.slice))
	if err := json.Unmarshal(data, slice.Interface()); err != nil {
		return err
	}
	ports := slice.Elem().FieldByName("Ports")
	key := reflect.ValueOf(kube.endpointSlices.portMapKey).Call([]reflect.Value{ports})[0].String()
	a.put("ports", key)
	if r.Preimage {
		preimage, err := checkedDump(ports.Interface(), key)
		if err != nil && ports.IsNil() { // no ports and none given are one from 1.35 on
			preimage, err = checkedDump(reflect.MakeSlice(ports.Type(), 0, 0).Interface(), key)
		}
		if err != nil {
			return err
		}
		a.put("preimage", preimage)
	}
	hashes := []string{}
	endpoints := slice.Elem().FieldByName("Endpoints")
	for i := 0; i < endpoints.Len(); i++ {
		hashes = append(hashes, kube.endpointSlices.endpoint(endpoints.Index(i).Addr()))
	}
	return a.put("endpoints", hashes)
}

// endpoints tells the types that the functions over Endpoints take: a subset, as
// versioned and as internal struct, and an EndpointSlice.
func (w *schemaWalk) endpoints() map[string]string {
	types := map[string]string{}
	for form, hasher := range map[string]*endpointsHasher{"versioned": kube.endpoints, "internal": kube.endpointsInternal} {
		if hasher != nil {
			types[form] = w.ref(reflect.TypeOf(hasher.repack).In(0).Elem())
		}
	}
	if kube.endpointSlices != nil {
		types["slice"] = w.ref(reflect.TypeOf(kube.endpointSlices.slice))
	}
	return types
}
