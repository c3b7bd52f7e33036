package main

// Shim, 1.2 to 1.4: the Deployment controller's constructor.

import (
	"time"

	"k8s.io/kubernetes/pkg/client/clientset_generated/internalclientset/fake"
	"k8s.io/kubernetes/pkg/controller/deployment"
)

func newDeploymentController(client *fake.Clientset) *deployment.DeploymentController {
	return deployment.NewDeploymentController(client, func() time.Duration { return 0 })
}
