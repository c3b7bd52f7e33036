package main

// Shim, 1.6 to 1.8: scheme, codecs, controllers, deep hash, while the scheme and
// the internal core types are those of pkg/api. The v1 types move from
// pkg/api/v1 to k8s.io/api in 1.8, so what takes them is called by reflection.

import (
	"bytes"
	"fmt"
	"hash"
	"reflect"

	"github.com/ghodss/yaml"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api"
	_ "k8s.io/kubernetes/pkg/api/install"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	"k8s.io/kubernetes/pkg/controller"
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
	"StatefulSet":           true,
	"Job":                   true,
	"CronJob":               true,
	"ScheduledJob":          true, // CronJob's old name, served beside it until 1.7
}

func init() {
	kube.decode = func(data []byte) (interface{}, error) {
		obj, _, err := api.Codecs.UniversalDeserializer().Decode(data, nil, nil)
		return obj, err
	}
	kube.setDefaults = func(versioned interface{}) error {
		api.Scheme.Default(versioned.(runtime.Object))
		return nil
	}
	kube.toInternal = func(versioned interface{}) (interface{}, error) {
		return api.Scheme.ConvertToVersion(versioned.(runtime.Object), runtime.InternalGroupVersioner)
	}
	kube.toVersioned = func(internal interface{}, apiVersion string) (interface{}, error) {
		gv, err := schema.ParseGroupVersion(apiVersion)
		if err != nil {
			return nil, err
		}
		return api.Scheme.ConvertToVersion(internal.(runtime.Object), gv)
	}
	kube.roundTrip = protobufRoundTrip
	kube.podFromTemplate = func(workload, template interface{}, indexed bool) (interface{}, error) {
		return podFromTemplate(controller.GetPodFromTemplate, template, workload)
	}
	kube.deepHash = func(hasher hash.Hash, value interface{}) { hashutil.DeepHashObject(hasher, value) }
	kube.yamlToJSON = yaml.YAMLToJSON
	kube.kinds = registeredKinds
}

// podFromTemplate calls GetPodFromTemplate, whose last parameter, the owner, is
// left nil: it has no say in a Pod's spec.
func podFromTemplate(get, template, workload interface{}) (interface{}, error) {
	f := reflect.ValueOf(get)
	args := []reflect.Value{reflect.ValueOf(template), reflect.ValueOf(workload)}
	for i := len(args); i < f.Type().NumIn(); i++ {
		args = append(args, reflect.Zero(f.Type().In(i)))
	}
	results := f.Call(args)
	if err, ok := results[1].Interface().(error); ok {
		return nil, err
	}
	pod := results[0]
	pod.Elem().FieldByName("APIVersion").SetString("v1")
	pod.Elem().FieldByName("Kind").SetString("Pod")
	return pod.Interface(), nil
}

// protobufRoundTrip uses the serializer of the release's codec factory. Its
// envelope carries apiVersion and kind, but decoding does not write them into
// the object here, as it does from 1.13 on.
func protobufRoundTrip(versioned interface{}) (interface{}, error) {
	info, ok := runtime.SerializerInfoForMediaType(api.Codecs.SupportedMediaTypes(), "application/vnd.kubernetes.protobuf")
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
	known := api.Scheme.AllKnownTypes()
	for gvk, versioned := range known {
		if gvk.Version == runtime.APIVersionInternal || !workloadKinds[gvk.Kind] {
			continue
		}
		k := kind{apiVersion: gvk.GroupVersion().String(), name: gvk.Kind, versioned: versioned}
		// Conversion finds the internal form by its group; Deployment,
		// DaemonSet and ReplicaSet are registered in apps under the types of
		// extensions.
		if internal, ok := known[gvk.GroupKind().WithVersion(runtime.APIVersionInternal)]; ok {
			k.internal = internal
		}
		kinds = append(kinds, k)
	}
	return kinds
}
