package main

// Shim, 1.9 to 1.11: random Pods by the release's fuzzer functions (gofuzz).

import (
	"math/rand"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/testing/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	api "k8s.io/kubernetes/pkg/apis/core"
	corefuzzer "k8s.io/kubernetes/pkg/apis/core/fuzzer"
)

func init() {
	funcs := fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, corefuzzer.Funcs)
	// Every second Pod is made as an internal one and converted, so it comes
	// with defaults; the others are v1 Pods and exercise defaulting. How much of
	// a Pod is filled in varies, or most would be of one size.
	kube.randomPod = func(seed int64) (interface{}, error) {
		f := fuzzer.FuzzerFor(funcs, rand.NewSource(seed), legacyscheme.Codecs)
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
		pod := &v1.Pod{}
		f.Fuzz(pod)
		pod.APIVersion, pod.Kind = "v1", "Pod"
		return pod, nil
	}
}
