package main

// Shim, 1.13 to 1.37: kubeadm's comparison of manifests. From 1.29 on it tells the
// difference, too.

import (
	"reflect"

	"k8s.io/kubernetes/cmd/kubeadm/app/util/staticpod"
)

func init() {
	kube.staticPods = &staticPods{
		equal: func(path1, path2 string) (equal bool, difference string, err error) {
			out := reflect.ValueOf(staticpod.ManifestFilesAreEqual).Call([]reflect.Value{
				reflect.ValueOf(path1), reflect.ValueOf(path2),
			})
			if failure := out[len(out)-1]; !failure.IsNil() {
				err = failure.Interface().(error)
			}
			if len(out) == 3 {
				difference = out[1].String()
			}
			return out[0].Bool(), difference, err
		},
	}
}
