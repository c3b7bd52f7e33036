package main

// Shim, 1.3 and 1.4: scheme, codecs, strategies, controllers, deep hash, when the
// conversion to the internal version gave the defaults. Strategies take a context
// from 1.4 on and GetPodFromTemplate an owner: both are called by reflection.

import (
	"bytes"
	"fmt"
	"hash"
	"reflect"

	"github.com/ghodss/yaml"
	"k8s.io/kubernetes/pkg/api"
	_ "k8s.io/kubernetes/pkg/api/install"
	"k8s.io/kubernetes/pkg/api/unversioned"
	"k8s.io/kubernetes/pkg/apis/apps"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/extensions"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	"k8s.io/kubernetes/pkg/controller"
	rc "k8s.io/kubernetes/pkg/registry/controller"
	"k8s.io/kubernetes/pkg/registry/daemonset"
	"k8s.io/kubernetes/pkg/registry/deployment"
	"k8s.io/kubernetes/pkg/registry/job"
	"k8s.io/kubernetes/pkg/registry/petset"
	"k8s.io/kubernetes/pkg/registry/pod"
	"k8s.io/kubernetes/pkg/registry/podtemplate"
	"k8s.io/kubernetes/pkg/registry/replicaset"
	"k8s.io/kubernetes/pkg/registry/scheduledjob"
	"k8s.io/kubernetes/pkg/runtime"
	hashutil "k8s.io/kubernetes/pkg/util/hash"
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
	"PetSet":                true,
	"Job":                   true,
	"ScheduledJob":          true,
}

func init() {
	kube.decode = func(data []byte) (interface{}, error) {
		obj, _, err := api.Codecs.UniversalDeserializer().Decode(data, nil, nil)
		return obj, err
	}
	kube.toInternal = func(versioned interface{}) (interface{}, error) {
		gvk := versioned.(runtime.Object).GetObjectKind().GroupVersionKind()
		internal := unversioned.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
		return api.Scheme.UnsafeConvertToVersion(versioned.(runtime.Object), internal)
	}
	kube.toVersioned = func(internal interface{}, apiVersion string) (interface{}, error) {
		gv, err := unversioned.ParseGroupVersion(apiVersion)
		if err != nil {
			return nil, err
		}
		return api.Scheme.UnsafeConvertToVersion(internal.(runtime.Object), gv)
	}
	kube.prepareForCreate = prepareForCreate
	kube.roundTrip = protobufRoundTrip
	kube.podFromTemplate = podFromTemplate
	kube.deepHash = func(hasher hash.Hash, value interface{}) { hashutil.DeepHashObject(hasher, value) }
	kube.yamlToJSON = yaml.YAMLToJSON
	kube.kinds = registeredKinds
}

// podFromTemplate makes the Pod as a controller does: of internal objects.
func podFromTemplate(workload, template interface{}, indexed bool) (interface{}, error) {
	internal, err := kube.toInternal(workload)
	if err != nil {
		return nil, err
	}
	t, _ := podTemplateOf(internal)
	if !t.IsValid() {
		return nil, fmt.Errorf("%T has no Pod template", internal)
	}
	// The Pod's annotation kubernetes.io/created-by is made of its owner's self
	// link, which the API server writes into what it serves.
	if link := reflect.ValueOf(internal).Elem().FieldByName("SelfLink"); link.String() == "" {
		link.SetString("/api/v1/namespaces/default/owners/owner")
	}
	results := callWithZeros(reflect.ValueOf(controller.GetPodFromTemplate), t.Addr().Interface(), internal)
	if err, ok := results[1].Interface().(error); ok {
		return nil, err
	}
	return kube.toVersioned(results[0].Interface(), "v1")
}

// callWithZeros calls a function; the parameters that follow the given ones are
// zero.
func callWithZeros(f reflect.Value, given ...interface{}) []reflect.Value {
	var args []reflect.Value
	for _, value := range given {
		args = append(args, reflect.ValueOf(value))
	}
	for i := len(args); i < f.Type().NumIn(); i++ {
		args = append(args, reflect.Zero(f.Type().In(i)))
	}
	return f.Call(args)
}

// prepareForCreate calls the method of the strategy that the API server's
// storage has for the kind, with nil for a context: none looks at it.
func prepareForCreate(internal interface{}) error {
	var strategy interface{}
	switch internal.(type) {
	case *api.Pod:
		strategy = pod.Strategy
	case *api.PodTemplate:
		strategy = podtemplate.Strategy
	case *api.ReplicationController:
		strategy = rc.Strategy
	case *extensions.ReplicaSet:
		strategy = replicaset.Strategy
	case *extensions.Deployment:
		strategy = deployment.Strategy
	case *extensions.DaemonSet:
		strategy = daemonset.Strategy
	case *apps.PetSet:
		strategy = petset.Strategy
	case *batch.Job:
		strategy = job.Strategy
	case *batch.ScheduledJob:
		strategy = scheduledjob.Strategy
	default:
		return fmt.Errorf("no strategy for %T", internal)
	}
	method := reflect.ValueOf(strategy).MethodByName("PrepareForCreate")
	args := []reflect.Value{reflect.ValueOf(internal)}
	if method.Type().NumIn() == 2 {
		args = []reflect.Value{reflect.Zero(method.Type().In(0)), args[0]}
	}
	method.Call(args)
	return nil
}

// protobufRoundTrip uses the serializer of the release's codec factory. Its
// envelope carries apiVersion and kind, but decoding does not write them into
// the object here.
func protobufRoundTrip(versioned interface{}) (interface{}, error) {
	info, ok := api.Codecs.SerializerForMediaType("application/vnd.kubernetes.protobuf", nil)
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
	for _, gv := range []unversioned.GroupVersion{
		{Version: "v1"},
		{Group: "apps", Version: "v1alpha1"},
		{Group: "batch", Version: "v1"},
		{Group: "batch", Version: "v2alpha1"},
		{Group: "extensions", Version: "v1beta1"},
	} {
		internal := api.Scheme.KnownTypes(unversioned.GroupVersion{Group: gv.Group, Version: runtime.APIVersionInternal})
		for name, versioned := range api.Scheme.KnownTypes(gv) {
			if workloadKinds[name] {
				kinds = append(kinds, kind{gv.String(), name, versioned, internal[name]})
			}
		}
	}
	return kinds
}
