package main

// Shim, 1.5: the Deployment controller's constructor, which takes informers.

import (
	"k8s.io/kubernetes/pkg/client/clientset_generated/internalclientset/fake"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/informers"
)

func newDeploymentController(client *fake.Clientset) *deployment.DeploymentController {
	factory := informers.NewSharedInformerFactory(client, 0)
	return deployment.NewDeploymentController(factory.Deployments(), factory.ReplicaSets(), factory.Pods(), client)
}
