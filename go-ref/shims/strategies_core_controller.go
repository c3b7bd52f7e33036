package main

// Shim, 1.5: the registry strategies, with those of StatefulSets and
// ReplicationControllers in packages of their old names.

import (
	"fmt"

	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/apis/apps"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/extensions"
	"k8s.io/kubernetes/pkg/registry/apps/petset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/controller"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/extensions/daemonset"
	"k8s.io/kubernetes/pkg/registry/extensions/deployment"
	"k8s.io/kubernetes/pkg/registry/extensions/replicaset"
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
		controller.Strategy.PrepareForCreate(nil, obj)
	case *extensions.ReplicaSet:
		replicaset.Strategy.PrepareForCreate(nil, obj)
	case *extensions.Deployment:
		deployment.Strategy.PrepareForCreate(nil, obj)
	case *extensions.DaemonSet:
		daemonset.Strategy.PrepareForCreate(nil, obj)
	case *apps.StatefulSet:
		petset.Strategy.PrepareForCreate(nil, obj)
	case *batch.Job:
		job.Strategy.PrepareForCreate(nil, obj)
	case *batch.CronJob:
		cronjob.Strategy.PrepareForCreate(nil, obj)
	default:
		return fmt.Errorf("no strategy for %T", internal)
	}
	return nil
}
