package main

// Shim, 1.10 to 1.12: the registry strategies, whose packages are
// pkg/registry/apps/{daemonset,deployment,replicaset} here.

import (
	"fmt"

	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/extensions"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
)

func init() {
	kube.prepareForCreate = prepareForCreate
}

// prepareForCreate calls the method of the strategy that the API server's
// storage has for the kind. None of them looks at the context.
func prepareForCreate(internal interface{}) error {
	switch obj := internal.(type) {
	case *api.Pod:
		pod.Strategy.PrepareForCreate(nil, obj)
	case *api.PodTemplate:
		podtemplate.Strategy.PrepareForCreate(nil, obj)
	case *api.ReplicationController:
		replicationcontroller.Strategy.PrepareForCreate(nil, obj)
	case *extensions.ReplicaSet:
		replicaset.Strategy.PrepareForCreate(nil, obj)
	case *extensions.Deployment:
		deployment.Strategy.PrepareForCreate(nil, obj)
	case *extensions.DaemonSet:
		daemonset.Strategy.PrepareForCreate(nil, obj)
	case *apps.StatefulSet:
		statefulset.Strategy.PrepareForCreate(nil, obj)
	case *batch.Job:
		job.Strategy.PrepareForCreate(nil, obj)
	case *batch.CronJob:
		cronjob.Strategy.PrepareForCreate(nil, obj)
	default:
		return fmt.Errorf("no strategy for %T", internal)
	}
	return nil
}
