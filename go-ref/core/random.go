package main

import (
	"encoding/json"
	"reflect"
)

// answerRandom makes count Pods of at most maxBytes of JSON each, with seeds
// counted up from seed. The status is left out: no operation keeps it.
func answerRandom(r *request, a *answer) error {
	objects := []byte{'['}
	seed := r.Seed
	for made := 0; made < r.Count; seed++ {
		pod, err := kube.randomPod(seed)
		if err != nil {
			return err
		}
		status := reflect.ValueOf(pod).Elem().FieldByName("Status")
		status.Set(reflect.Zero(status.Type()))
		data, err := json.Marshal(pod)
		if err != nil {
			continue // a value that has no JSON, such as a year past 9999
		}
		if r.MaxBytes > 0 && len(data) > r.MaxBytes {
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
