package main

// Shim, 1.13 and 1.14: what scheme.go is for later releases, less Indexed Jobs, and
// with two things that came with 1.15: a constant for protobuf's content type, and
// that its decoder writes apiVersion and kind into the object.

import (
	"bytes"
	"context"
	"fmt"
	"hash"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	api "k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/registry/apps/daemonset"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/cronjob"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/podtemplate"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	hashutil "k8s.io/kubernetes/pkg/util/hash"
	"sigs.k8s.io/yaml"
)

// workloadKinds are the names under which the releases' groups register kinds
// that hold a Pod template, and Pod itself.
var workloadKinds = map[string]bool{
	"Pod":                   true,
	"PodTemplate":           true,
	"ReplicationController": true,
	"ReplicaSet":            true,
	"Deployment":            true,
	"DaemonSet":             true,
	"StatefulSet":           true,
	"Job":                   true,
	"CronJob":               true,
}

func init() {
	kube.decode = func(data []byte) (interface{}, error) {
		obj, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
		return obj, err
	}
	kube.setDefaults = func(versioned interface{}) error {
		legacyscheme.Scheme.Default(versioned.(runtime.Object))
		return nil
	}
	kube.toInternal = func(versioned interface{}) (interface{}, error) {
		return legacyscheme.Scheme.ConvertToVersion(versioned.(runtime.Object), runtime.InternalGroupVersioner)
	}
	kube.toVersioned = func(internal interface{}, apiVersion string) (interface{}, error) {
		gv, err := schema.ParseGroupVersion(apiVersion)
		if err != nil {
			return nil, err
		}
		return legacyscheme.Scheme.ConvertToVersion(internal.(runtime.Object), gv)
	}
	kube.prepareForCreate = prepareForCreate
	kube.roundTrip = protobufRoundTrip
	kube.podFromTemplate = func(workload, template interface{}, indexed bool) (interface{}, error) {
		pod, err := controller.GetPodFromTemplate(template.(*v1.PodTemplateSpec), workload.(runtime.Object), nil)
		if err != nil {
			return nil, err
		}
		pod.APIVersion, pod.Kind = "v1", "Pod"
		return pod, nil
	}
	kube.deepHash = func(hasher hash.Hash, value interface{}) { hashutil.DeepHashObject(hasher, value) }
	kube.yamlToJSON = yaml.YAMLToJSON
	kube.kinds = registeredKinds
}

// prepareForCreate calls the method of the strategy that the API server's
// storage has for the kind.
func prepareForCreate(internal interface{}) error {
	ctx := context.Background()
	switch obj := internal.(type) {
	case *api.Pod:
		pod.Strategy.PrepareForCreate(ctx, obj)
		// From 1.34 on the condition of a Pod with scheduling gates says when it
		// was written: that is not the object's, and no two runs would agree.
		for i := range obj.Status.Conditions {
			obj.Status.Conditions[i].LastTransitionTime = metav1.Time{}
		}
	case *api.PodTemplate:
		podtemplate.Strategy.PrepareForCreate(ctx, obj)
	case *api.ReplicationController:
		replicationcontroller.Strategy.PrepareForCreate(ctx, obj)
	case *apps.ReplicaSet:
		replicaset.Strategy.PrepareForCreate(ctx, obj)
	case *apps.Deployment:
		deployment.Strategy.PrepareForCreate(ctx, obj)
	case *apps.DaemonSet:
		daemonset.Strategy.PrepareForCreate(ctx, obj)
	case *apps.StatefulSet:
		statefulset.Strategy.PrepareForCreate(ctx, obj)
	case *batch.Job:
		job.Strategy.PrepareForCreate(ctx, obj)
	case *batch.CronJob:
		cronjob.Strategy.PrepareForCreate(ctx, obj)
	default:
		return fmt.Errorf("no strategy for %T", internal)
	}
	return nil
}

// protobufRoundTrip uses the serializer of the release's codec factory, whose
// envelope carries apiVersion and kind.
func protobufRoundTrip(versioned interface{}) (interface{}, error) {
	info, ok := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), "application/vnd.kubernetes.protobuf")
	if !ok {
		return nil, fmt.Errorf("the codecs have no protobuf")
	}
	var data bytes.Buffer
	if err := info.Serializer.Encode(versioned.(runtime.Object), &data); err != nil {
		return nil, err
	}
	obj, gvk, err := info.Serializer.Decode(data.Bytes(), nil, nil)
	if err != nil {
		return nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(*gvk)
	return obj, nil
}

// registeredKinds finds the workload kinds among all that the scheme knows.
func registeredKinds() []kind {
	var kinds []kind
	known := legacyscheme.Scheme.AllKnownTypes()
	for gvk, versioned := range known {
		if gvk.Version == runtime.APIVersionInternal || !workloadKinds[gvk.Kind] {
			continue
		}
		k := kind{apiVersion: gvk.GroupVersion().String(), name: gvk.Kind, versioned: versioned}
		if internal, ok := known[gvk.GroupKind().WithVersion(runtime.APIVersionInternal)]; ok {
			k.internal = internal
		}
		kinds = append(kinds, k)
	}
	return kinds
}
