package main

// Shim, 1.8 to 1.37: a fake clientset and the informers on it.

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
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

func copyOf(object runtime.Object) runtime.Object { return object.DeepCopyObject() }
