package main

// Shim, 1.1 to 1.37: what may change of a Pod. Called by reflection: contexts and
// lists of errors are of other types every few releases.

import "reflect"

// The registry's strategies of the Pod and of its subresources, nil where there is
// none; and the context for their methods, nil for the zero value.
var podStrategy, ephemeralContainersStrategy, resizeStrategy, updateContext interface{}

func init() {
	kube.updatePod = func(subresource string, pod, old interface{}) ([]updateError, error) {
		strategy := map[string]interface{}{
			"":                    podStrategy,
			"ephemeralcontainers": ephemeralContainersStrategy,
			"resize":              resizeStrategy,
		}[subresource]
		if strategy == nil {
			return nil, skipped("no such subresource: " + subresource)
		}
		for _, pod := range []interface{}{pod, old} {
			// A server gives one to whatever it persists, and expects it back.
			version := reflect.ValueOf(pod).Elem().FieldByName("ObjectMeta").FieldByName("ResourceVersion")
			if version.String() == "" {
				version.SetString("1")
			}
		}
		call := func(method reflect.Value) []reflect.Value {
			parameters := []reflect.Value{reflect.ValueOf(pod), reflect.ValueOf(old)}
			if method.Type().NumIn() > len(parameters) { // always, from 1.4
				context := reflect.Zero(method.Type().In(0))
				if updateContext != nil {
					context = reflect.ValueOf(updateContext)
				}
				parameters = append([]reflect.Value{context}, parameters...)
			}
			return method.Call(parameters)
		}
		call(reflect.ValueOf(strategy).MethodByName("PrepareForUpdate"))
		list := call(reflect.ValueOf(strategy).MethodByName("ValidateUpdate"))[0]
		found := []updateError{}
		for i := 0; i < list.Len(); i++ {
			e := reflect.Indirect(reflect.ValueOf(list.Index(i).Interface()))
			found = append(found, updateError{
				Field:  e.FieldByName("Field").String(),
				Type:   e.FieldByName("Type").String(),
				Detail: e.FieldByName("Detail").String(),
			})
		}
		return found, nil
	}
}
