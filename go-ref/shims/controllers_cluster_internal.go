package main

// Shim, 1.6 and 1.7: a fake clientset and the informers on it, generated inside
// Kubernetes, and copies made by the scheme.

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/client/clientset_generated/clientset/fake"
	informers "k8s.io/kubernetes/pkg/client/informers/informers_generated/externalversions"
)

// fakeCluster is a clientset without a server, and informers that nobody started.
type fakeCluster struct {
	client  *fake.Clientset
	factory informers.SharedInformerFactory
}

func newFakeCluster() *fakeCluster {
	client := fake.NewSimpleClientset()
	return &fakeCluster{client, informers.NewSharedInformerFactory(client, 0)}
}

func mustParse(quantity string) resource.Quantity { return resource.MustParse(quantity) }

func copyOf(object runtime.Object) runtime.Object {
	copied, err := api.Scheme.DeepCopy(object)
	if err != nil {
		panic(err)
	}
	return copied.(runtime.Object)
}
