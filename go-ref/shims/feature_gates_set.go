package main

// Shim, 1.6 to 1.14: the feature gates that strategies and admission consult.
// One shape for three: the private table of gates is a plain map until 1.8 and
// an atomic.Value since, and SetFromMap is younger than Set.

import (
	"fmt"
	"reflect"
	"strconv"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	_ "k8s.io/kubernetes/pkg/features"
)

func init() {
	gate := utilfeature.DefaultFeatureGate
	names := gateNames(gate)
	kube.featureGates = func() map[string]bool {
		values := map[string]bool{}
		for _, name := range names {
			values[name] = gate.Enabled(utilfeature.Feature(name))
		}
		return values
	}
	set := func(values map[string]bool) error {
		for name, value := range values {
			err := gate.(interface {
				Set(string) error
			}).Set(name + "=" + strconv.FormatBool(value))
			if err != nil {
				return err
			}
		}
		return nil
	}
	kube.setFeatureGates = func(values map[string]bool) (func(), error) {
		before := map[string]bool{}
		for name := range values {
			if name == "AllAlpha" {
				return nil, fmt.Errorf("%s cannot be undone after the request: name each gate", name)
			}
			known := false
			for _, n := range names {
				known = known || n == name
			}
			if !known {
				return nil, skipped("no feature gate " + name + " in " + releaseName)
			}
			before[name] = gate.Enabled(utilfeature.Feature(name))
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

// gateNames reads the gate's private table, because KnownFeatures leaves out
// what is generally available and Enabled does not.
func gateNames(gate interface{}) []string {
	known := reflect.Indirect(reflect.ValueOf(gate).Elem().FieldByName("known"))
	if known.Kind() == reflect.Struct {
		known = known.FieldByName("v").Elem()
	}
	var names []string
	for _, key := range known.MapKeys() {
		names = append(names, key.String())
	}
	sortStrings(names)
	return names
}
