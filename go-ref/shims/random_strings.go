package main

// Shim, 1.1: random Pods by the release's fuzzer (gofuzz).

import (
	"math/rand"
	"reflect"
	"testing"

	"k8s.io/kubernetes/pkg/api"
	apitesting "k8s.io/kubernetes/pkg/api/testing"
)

func init() {
	v1Pod := api.Scheme.KnownTypes("v1")["Pod"]
	// Every second Pod is made as an internal one and converted, so it comes
	// with defaults; the others are v1 Pods and exercise defaulting. How much of
	// a Pod is filled in varies, or most would be of one size.
	kube.randomPod = func(seed int64) (interface{}, error) {
		f := apitesting.FuzzerFor(&testing.T{}, "v1", rand.NewSource(seed))
		switch seed / 2 % 3 {
		case 0:
			f.NilChance(0.35).NumElements(1, 3)
		case 1:
			f.NilChance(0.6).NumElements(0, 2)
		case 2:
			f.NilChance(0.85).NumElements(0, 1)
		}
		if seed%2 == 0 {
			pod := &api.Pod{}
			f.Fuzz(pod)
			return kube.toVersioned(pod, "v1")
		}
		pod := reflect.New(v1Pod)
		f.Fuzz(pod.Interface())
		pod.Elem().FieldByName("APIVersion").SetString("v1")
		pod.Elem().FieldByName("Kind").SetString("Pod")
		return pod.Interface(), nil
	}
}
