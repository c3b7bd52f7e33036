package main

// Shim, from 1.33: random Pods by the release's fuzzer functions (randfill).

import (
	"math/rand"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	corefuzzer "k8s.io/kubernetes/pkg/apis/core/fuzzer"
	"sigs.k8s.io/randfill"
)

func init() {
	// How much of a Pod is filled in varies, or most would be of one size.
	fillers := []*randfill.Filler{
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
			f.Fill(pod)
			return kube.toVersioned(pod, "v1")
		}
		pod := &v1.Pod{}
		f.Fill(pod)
		pod.APIVersion, pod.Kind = "v1", "Pod"
		return pod, nil
	}
}

func newFiller() *randfill.Filler {
	funcs := fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, corefuzzer.Funcs)
	return fuzzer.FuzzerFor(funcs, rand.NewSource(0), legacyscheme.Codecs)
}
