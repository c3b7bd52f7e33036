package main

import (
	"fmt"
	"reflect"
)

// podUpdater is what an API server does with a Pod that replaces another one, up to
// the point where it would be persisted.
type podUpdater struct {
	// strategy is the registry's for a subresource, or for the Pod itself; nil if
	// the release has no such subresource.
	strategy func(subresource string) interface{}
	// context is given to the strategy's methods; nil is the zero value.
	context interface{}
}

// updateError is an error of a field. The detail ends with its first line: what
// may follow is a comparison, which no two runs print alike.
type updateError struct {
	Field  string `json:"field"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// answerPodUpdate asks the strategy whether the object may replace the old one.
// In the view "delivered" both were created, so that they differ where their
// authors made them differ; in "served" they stand as they are.
func answerPodUpdate(r *request, a *answer) error {
	strategy := kube.podUpdates.strategy(r.Subresource)
	if strategy == nil {
		return skipped("no such subresource in " + releaseName + ": " + r.Subresource)
	}
	changed, err := r.atServer()
	if err != nil {
		return err
	}
	before := *r
	before.Object = r.Old
	old, err := before.atServer()
	if err != nil {
		return fmt.Errorf("old: %v", err)
	}
	for _, pod := range []interface{}{changed, old} {
		// A server gives one to whatever it persists, and expects it back.
		version := reflect.ValueOf(pod).Elem().FieldByName("ObjectMeta").FieldByName("ResourceVersion")
		if version.String() == "" {
			version.SetString("1")
		}
	}
	call := func(name string) []reflect.Value {
		method := reflect.ValueOf(strategy).MethodByName(name)
		var parameters []reflect.Value
		if method.Type().NumIn() == 3 {
			context := reflect.Zero(method.Type().In(0))
			if kube.podUpdates.context != nil {
				context = reflect.ValueOf(kube.podUpdates.context)
			}
			parameters = append(parameters, context)
		}
		return method.Call(append(parameters, reflect.ValueOf(changed), reflect.ValueOf(old)))
	}
	call("PrepareForUpdate")
	list := call("ValidateUpdate")[0]
	found := []updateError{}
	for i := 0; i < list.Len(); i++ {
		e := reflect.Indirect(reflect.ValueOf(list.Index(i).Interface()))
		text := func(field string) string { return e.FieldByName(field).String() }
		found = append(found, updateError{text("Field"), text("Type"), firstLine(text("Detail"))})
	}
	return a.put("errors", found)
}

func firstLine(text string) string {
	for i := range text {
		if text[i] == '\n' {
			return text[:i]
		}
	}
	return text
}

// atServer is the request's Pod as the API server's own, internal one.
func (r *request) atServer() (interface{}, error) {
	pod, err := r.decode()
	if err != nil {
		return nil, err
	}
	if isPod, err := r.isPod(); err != nil {
		return nil, err
	} else if !isPod && !r.isBareContainer() {
		return nil, skipped("only Pods are told apart")
	}
	switch r.View {
	case "", "delivered":
		if pod, err = create(pod, false); err != nil {
			return nil, err
		}
	case "served":
	default:
		return nil, fmt.Errorf("no such view: %s", r.View)
	}
	if err := setDefaults(pod); err != nil {
		return nil, err
	}
	return kube.toInternal(pod)
}
