package main

// Shim, 1.4 and 1.5: the first feature gates, each a method of the gate, over a
// private table.

import (
	"reflect"
	"strconv"

	utilconfig "k8s.io/kubernetes/pkg/util/config"
)

func init() {
	gate := reflect.ValueOf(utilconfig.DefaultFeatureGate).Elem()
	value := func(name string) (enabled, known bool) {
		key := reflect.ValueOf(name)
		spec := gate.FieldByName("known").MapIndex(key)
		if !spec.IsValid() {
			return false, false
		}
		if set := gate.FieldByName("enabled").MapIndex(key); set.IsValid() {
			return set.Bool(), true
		}
		return spec.FieldByName("enabled").Bool(), true
	}
	kube.featureGates = func() map[string]bool {
		values := map[string]bool{}
		for _, key := range gate.FieldByName("known").MapKeys() {
			values[key.String()], _ = value(key.String())
		}
		return values
	}
	set := func(values map[string]bool) error {
		for name, value := range values {
			if err := utilconfig.DefaultFeatureGate.Set(name + "=" + strconv.FormatBool(value)); err != nil {
				return err
			}
		}
		return nil
	}
	kube.setFeatureGates = func(values map[string]bool) (func(), error) {
		before := map[string]bool{}
		for name := range values {
			enabled, known := value(name)
			if !known || name == "AllAlpha" {
				return nil, skipped("no feature gate " + name + " that can be set for one request in " + releaseName)
			}
			before[name] = enabled
		}
		if err := set(values); err != nil {
			return nil, err
		}
		return func() {
			if err := set(before); err != nil {
				panic(err) // the next request would run under other gates
			}
		}, nil
	}
}
