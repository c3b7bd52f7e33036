package main

// Shim, from 1.23: the controllers' sync functions take a context.

import (
	"context"
	"reflect"
	_ "unsafe" // for go:linkname

	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

//go:linkname realSyncDeployment k8s.io/kubernetes/pkg/controller/deployment.(*DeploymentController).syncDeployment
func realSyncDeployment(c *deployment.DeploymentController, ctx context.Context, key string) error

//go:linkname realSyncDaemonSet k8s.io/kubernetes/pkg/controller/daemon.(*DaemonSetsController).syncDaemonSet
func realSyncDaemonSet(c *daemon.DaemonSetsController, ctx context.Context, key string) error

//go:linkname realSyncStatefulSet k8s.io/kubernetes/pkg/controller/statefulset.(*StatefulSetController).sync
func realSyncStatefulSet(c *statefulset.StatefulSetController, ctx context.Context, key string) error

func background() interface{} { return context.Background() }

func syncDeployment(c reflect.Value, key string) error {
	return realSyncDeployment(c.Interface().(*deployment.DeploymentController), context.Background(), key)
}

func syncDaemonSet(c reflect.Value, key string) error {
	return realSyncDaemonSet(c.Interface().(*daemon.DaemonSetsController), context.Background(), key)
}

func syncStatefulSet(c reflect.Value, key string) error {
	return realSyncStatefulSet(c.Interface().(*statefulset.StatefulSetController), context.Background(), key)
}
