package main

// Shim, 1.16 to 1.37: the feature gates that strategies and admission consult.

import (
	"fmt"
	"reflect"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features"
)

func init() {
	gate := utilfeature.DefaultMutableFeatureGate
	names := gateNames(gate)
	enabled := func() map[string]bool {
		values := map[string]bool{}
		for _, name := range names {
			values[name] = gate.Enabled(featuregate.Feature(name))
		}
		return values
	}
	kube.featureGates = enabled
	kube.setFeatureGates = func(values map[string]bool) (func(), error) {
		before := map[string]bool{}
		for name := range values {
			if name == "AllAlpha" || name == "AllBeta" {
				return nil, fmt.Errorf("%s cannot be undone after the request: name each gate", name)
			}
			known := false
			for _, n := range names {
				known = known || n == name
			}
			if !known {
				return nil, skipped("no feature gate " + name + " in " + releaseName)
			}
			before[name] = gate.Enabled(featuregate.Feature(name))
		}
		if err := gate.SetFromMap(values); err != nil {
			return nil, err
		}
		return func() {
			if err := gate.SetFromMap(before); err != nil {
				panic(err) // the next request would run under other gates
			}
		}, nil
	}
}

// gateNames reads the gate's private table, because KnownFeatures leaves out
// what is generally available and Enabled does not.
func gateNames(gate featuregate.FeatureGate) []string {
	known := reflect.Indirect(reflect.ValueOf(gate).Elem().FieldByName("known")).FieldByName("v").Elem()
	var names []string
	for _, key := range known.MapKeys() {
		names = append(names, key.String())
	}
	sortStrings(names)
	return names
}
