package main

// Shim, 1.16 to 1.32: random Pods by the release's fuzzer functions (gofuzz).

import (
	"math/rand"

	fuzz "github.com/google/gofuzz"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	corefuzzer "k8s.io/kubernetes/pkg/apis/core/fuzzer"
)

func init() {
	// How much of a Pod is filled in varies, or most would be of one size.
	fillers := []*fuzz.Fuzzer{
		newFiller().NilChance(0.35).NumElements(1, 3),
		newFiller().NilChance(0.6).NumElements(0, 2),
		newFiller().NilChance(0.85).NumElements(0, 1),
	}
	// Every second Pod is made as an internal one and converted, so it comes
	// with defaults; the others are v1 Pods and exercise defaulting.
	kube.randomPod = func(seed int64) (interface{}, error) {
		f := fillers[seed/2%3].RandSource(rand.NewSource(seed))
		if seed%2 == 0 {
			pod := &api.Pod{}
			f.Fuzz(pod)
			return kube.toVersioned(pod, "v1")
		}
		pod := &v1.Pod{}
		f.Fuzz(pod)
		pod.APIVersion, pod.Kind = "v1", "Pod"
		return pod, nil
	}
}

func newFiller() *fuzz.Fuzzer {
	funcs := fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, corefuzzer.Funcs)
	return fuzzer.FuzzerFor(funcs, rand.NewSource(0), legacyscheme.Codecs)
}
