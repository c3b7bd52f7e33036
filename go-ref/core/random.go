package main

import (
	"encoding/json"
	"reflect"
)

// answerRandom makes count Pods of at most maxBytes of JSON each, with seeds
// counted up from seed. The status is left out: no operation keeps it. A Pod
// that is too large loses what has least to do with containers, step by step;
// one that is too large even then is passed over.
func answerRandom(r *request, a *answer) error {
	objects := []byte{'['}
	seed := r.Seed
	for made := 0; made < r.Count; seed++ {
		pod, err := kube.randomPod(seed)
		if err != nil {
			return err
		}
		data := smaller(reflect.ValueOf(pod).Elem(), r.MaxBytes)
		if data == nil {
			continue
		}
		if made > 0 {
			objects = append(objects, ',')
		}
		objects = append(objects, data...)
		made++
	}
	a.raw("objects", append(objects, ']'))
	return nil
}

// cuts are what a Pod loses, in order: all but the first few elements of a list
// (or the whole of what is not a list) in the metadata or the spec.
var cuts = []struct {
	where, field string
	left         int
}{
	{"ObjectMeta", "ManagedFields", 0},
	{"ObjectMeta", "OwnerReferences", 1},
	{"Spec", "Affinity", 0},
	{"Spec", "TopologySpreadConstraints", 1},
	{"Spec", "Tolerations", 1},
	{"Spec", "Volumes", 2},
	{"Spec", "EphemeralContainers", 1},
	{"Spec", "InitContainers", 1},
	{"Spec", "Containers", 1},
	{"Spec", "Volumes", 0},
	{"Spec", "EphemeralContainers", 0},
	{"Spec", "InitContainers", 0},
	{"ObjectMeta", "OwnerReferences", 0},
	{"ObjectMeta", "Annotations", 0},
}

// smaller is the Pod's JSON within the limit (0: none), or nil.
func smaller(pod reflect.Value, limit int) []byte {
	status := pod.FieldByName("Status")
	status.Set(reflect.Zero(status.Type()))
	for _, cut := range cuts {
		data, err := json.Marshal(pod.Addr().Interface())
		if err != nil {
			return nil // a value that has no JSON, such as a year past 9999
		}
		if limit == 0 || len(data) <= limit {
			return data
		}
		field := pod.FieldByName(cut.where).FieldByName(cut.field)
		switch {
		case !field.IsValid():
		case field.Kind() != reflect.Slice:
			field.Set(reflect.Zero(field.Type()))
		case field.Len() > cut.left:
			field.Set(field.Slice(0, cut.left))
		}
	}
	data, err := json.Marshal(pod.Addr().Interface())
	if err != nil || len(data) > limit {
		return nil
	}
	return data
}
