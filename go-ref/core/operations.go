package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
)

// The operations: what one release's API server, clients and kubelet do to an
// object. Each takes an object that it owns and may change.

// create is what the API server persists for a new object. admit is set for
// Pods that a controller created: the ServiceAccount plugin runs where it runs
// in the server, between the conversion and the strategy.
func create(versioned interface{}, admit bool) (interface{}, error) {
	apiVersion := apiVersionOf(versioned)
	if err := setDefaults(versioned); err != nil {
		return nil, err
	}
	internal, err := kube.toInternal(versioned)
	if err != nil {
		return nil, err
	}
	if admit {
		if err := kube.admitPod(internal); err != nil {
			return nil, err
		}
	}
	if err := kube.prepareForCreate(internal); err != nil {
		return nil, err
	}
	out, err := kube.toVersioned(internal, apiVersion)
	if err != nil {
		return nil, err
	}
	return kube.roundTrip(out)
}

// setDefaults does nothing in releases whose conversions give the defaults.
func setDefaults(versioned interface{}) error {
	if kube.setDefaults == nil {
		return nil
	}
	return kube.setDefaults(versioned)
}

// serve is what the API server hands out for an object that was persisted.
func serve(versioned interface{}) (interface{}, error) {
	return serveAs(versioned, apiVersionOf(versioned))
}

// serveAs is serve to a client that asks for another version of the group, or
// for another group that has the kind.
func serveAs(versioned interface{}, apiVersion string) (interface{}, error) {
	if err := setDefaults(versioned); err != nil {
		return nil, err
	}
	internal, err := kube.toInternal(versioned)
	if err != nil {
		return nil, err
	}
	out, err := kube.toVersioned(internal, apiVersion)
	if err != nil {
		return nil, err
	}
	return kube.roundTrip(out)
}

// receive is what a client of the release decodes.
func receive(versioned interface{}) (interface{}, error) {
	return kube.roundTrip(versioned)
}

// deliver is all three in one release.
func deliver(versioned interface{}, admit bool) (interface{}, error) {
	obj, err := create(versioned, admit)
	if err != nil {
		return nil, err
	}
	if obj, err = serve(obj); err != nil {
		return nil, err
	}
	return receive(obj)
}

// The requests that name an operation.

func opDefaults(r *request) (interface{}, error) {
	obj, err := r.decode()
	if err != nil {
		return nil, err
	}
	return obj, kube.setDefaults(obj)
}

func opCreate(r *request) (interface{}, error) {
	obj, err := r.decode()
	if err != nil {
		return nil, err
	}
	return create(obj, false)
}

func opServe(r *request) (interface{}, error) {
	obj, err := r.decode()
	if err != nil {
		return nil, err
	}
	return serve(obj)
}

func opReceive(r *request) (interface{}, error) {
	obj, err := r.decode()
	if err != nil {
		return nil, err
	}
	return receive(obj)
}

func opReadFile(r *request) (interface{}, error) {
	if isPod, err := r.isPod(); err != nil {
		return nil, err
	} else if !isPod {
		return nil, skipped("only Pods are read from files")
	}
	internal, err := r.readFile()
	if err != nil {
		return nil, err
	}
	return kube.toVersioned(internal, "v1")
}

// answerObject writes an operation's result as Go's json.Marshal writes it,
// with the hash of the struct itself, which sees what JSON does not show.
func answerObject(operation func(*request) (interface{}, error), r *request, a *answer) error {
	obj, err := operation(r)
	if err != nil {
		return err
	}
	data, err := json.Marshal(obj)
	if err != nil {
		return err
	}
	a.raw("object", data)
	return answerDeepHashOf(obj, r, a)
}

func answerDeepHashOf(obj interface{}, r *request, a *answer) error {
	value := reflect.ValueOf(obj).Elem().Interface()
	h := fnv.New32a()
	kube.deepHash(h, value)
	if err := a.put("hash", h.Sum32()); err != nil {
		return err
	}
	if !r.Preimage {
		return nil
	}
	text := recordDeepHash(value)
	check := fnv.New32a()
	check.Write(text)
	if check.Sum32() != h.Sum32() {
		return fmt.Errorf("the recorded preimage does not have the hash %d", h.Sum32())
	}
	return a.put("preimage", string(text))
}

func answerDeepHash(r *request, a *answer) error {
	obj, err := r.viewed()
	if err != nil {
		return err
	}
	switch r.Form {
	case "", "versioned":
		if kube.hashesInternal && r.View == "static" {
			if obj, err = kube.toVersioned(obj, "v1"); err != nil {
				return err
			}
		}
	case "internal":
		if !(kube.hashesInternal && r.View == "static") {
			if obj, err = kube.toInternal(obj); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("no such form: %s", r.Form)
	}
	if r.isBareContainer() {
		obj = podSpecOf(obj).FieldByName("Containers").Index(0).Addr().Interface()
	}
	return answerDeepHashOf(obj, r, a)
}

// decode decodes the request's object; a bare container becomes a Pod.
func (r *request) decode() (interface{}, error) {
	data, err := r.data()
	if err != nil {
		return nil, err
	}
	obj, err := kube.decode(data)
	if err != nil {
		return nil, err
	}
	for _, k := range kube.kinds() {
		if reflect.TypeOf(obj).Elem() == k.versioned {
			return obj, nil
		}
	}
	// A scheme knows lists, nodes and options as well; hashes are asked of workloads.
	return nil, fmt.Errorf("%T is not a workload", obj)
}

func (r *request) data() ([]byte, error) {
	if len(r.Object) == 0 {
		return nil, fmt.Errorf("the request has no object")
	}
	if !r.isBareContainer() {
		return r.Object, nil
	}
	pod := []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"bare","namespace":"default"},"spec":{"containers":[`)
	pod = append(pod, r.Object...)
	return append(pod, `]}}`...), nil
}

// isBareContainer: an object without a kind is a container.
func (r *request) isBareContainer() bool {
	var top map[string]json.RawMessage
	if json.Unmarshal(r.Object, &top) != nil {
		return false
	}
	_, ok := top["kind"]
	return !ok
}

func (r *request) isPod() (bool, error) {
	data, err := r.data()
	if err != nil {
		return false, err
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err != nil {
		return false, err
	}
	return string(top["kind"]) == `"Pod"`, nil
}

// readFile is the static view up to the conversion to v1.
func (r *request) readFile() (interface{}, error) {
	data, err := r.data()
	if err != nil {
		return nil, err
	}
	file, node := r.File, r.Node
	if file == "" {
		file = "/etc/kubernetes/manifests/pod.yaml"
	}
	if node == "" {
		node = "node-1"
	}
	if r.URL != "" {
		return kube.readFile(data, r.URL, false, node)
	}
	return kube.readFile(data, file, true, node)
}

// viewed is the request's object after the operations of its view. In releases
// whose kubelet hashes internal Pods the static view is that internal Pod: the
// kubelet never converts it, and converting it twice would add defaults.
func (r *request) viewed() (interface{}, error) {
	switch r.View {
	case "decoded":
		return r.decode()
	case "", "delivered":
		obj, err := r.decode()
		if err != nil {
			return nil, err
		}
		return deliver(obj, false)
	case "static":
		if isPod, err := r.isPod(); err != nil {
			return nil, err
		} else if !isPod {
			return nil, skipped("only Pods have a static view")
		}
		internal, err := r.readFile()
		if err != nil || kube.hashesInternal {
			return internal, err
		}
		return kube.toVersioned(internal, "v1")
	}
	return nil, fmt.Errorf("no such view: %s", r.View)
}

// apiVersionOf reads the embedded TypeMeta.
func apiVersionOf(versioned interface{}) string {
	return reflect.ValueOf(versioned).Elem().FieldByName("APIVersion").String()
}
