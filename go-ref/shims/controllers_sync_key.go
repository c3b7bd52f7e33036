package main

// Shim, 1.6 to 1.22: the controllers' sync functions take a key.

import (
	"reflect"
	_ "unsafe" // for go:linkname

	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

//go:linkname realSyncDeployment k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).syncDeployment
func realSyncDeployment(c *deployment.DeploymentController, key string) error

//go:linkname realSyncDaemonSet k8s.io/kubernetes/pkg/controller/daemon.(*DaemonSetsController).syncDaemonSet
func realSyncDaemonSet(c *daemon.DaemonSetsController, key string) error

//go:linkname realSyncStatefulSet k8s.io/kubernetes/pkg/controller/statefulset.(*StatefulSetController).sync
func realSyncStatefulSet(c *statefulset.StatefulSetController, key string) error

// background: no constructor wants a context.
func background() interface{} { return nil }

func syncDeployment(c reflect.Value, key string) error {
	return realSyncDeployment(c.Interface().(*deployment.DeploymentController), key)
}

func syncDaemonSet(c reflect.Value, key string) error {
	return realSyncDaemonSet(c.Interface().(*daemon.DaemonSetsController), key)
}

func syncStatefulSet(c reflect.Value, key string) error {
	return realSyncStatefulSet(c.Interface().(*statefulset.StatefulSetController), key)
}
