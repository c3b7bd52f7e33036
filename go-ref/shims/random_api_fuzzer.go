package main

// Shim, 1.8: random Pods by the release's fuzzer functions (gofuzz).

import (
	"math/rand"
	"reflect"

	"k8s.io/apimachinery/pkg/api/testing/fuzzer"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api"
	kubetesting "k8s.io/kubernetes/pkg/api/testing"
)

func init() {
	v1Pod := api.Scheme.AllKnownTypes()[schema.GroupVersionKind{Version: "v1", Kind: "Pod"}]
	// Every second Pod is made as an internal one and converted, so it comes
	// with defaults; the others are v1 Pods and exercise defaulting. How much of
	// a Pod is filled in varies, or most would be of one size.
	kube.randomPod = func(seed int64) (interface{}, error) {
		f := fuzzer.FuzzerFor(kubetesting.FuzzerFuncs, rand.NewSource(seed), api.Codecs)
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
