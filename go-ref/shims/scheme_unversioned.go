package main

// Shim, 1.5: scheme, codecs, controllers, deep hash, before apimachinery became
// a repository of its own. From here back the kubelet hashes internal Pods.

import (
	"bytes"
	"fmt"
	"hash"
	"reflect"

	"github.com/ghodss/yaml"
	"k8s.io/kubernetes/pkg/api"
	_ "k8s.io/kubernetes/pkg/api/install"
	"k8s.io/kubernetes/pkg/api/unversioned"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	"k8s.io/kubernetes/pkg/controller"
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
	"StatefulSet":           true,
	"Job":                   true,
	"CronJob":               true,
	"ScheduledJob":          true, // CronJob's old name, served beside it
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
		gv, err := unversioned.ParseGroupVersion(apiVersion)
		if err != nil {
			return nil, err
		}
		return api.Scheme.ConvertToVersion(internal.(runtime.Object), gv)
	}
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
	pod, err := controller.GetPodFromTemplate(t.Addr().Interface().(*api.PodTemplateSpec), internal.(runtime.Object), nil)
	if err != nil {
		return nil, err
	}
	return kube.toVersioned(pod, "v1")
}

// protobufRoundTrip uses the serializer of the release's codec factory. Its
// envelope carries apiVersion and kind, but decoding does not write them into
// the object here.
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
		if internal, ok := known[gvk.GroupKind().WithVersion(runtime.APIVersionInternal)]; ok {
			k.internal = internal
		}
		kinds = append(kinds, k)
	}
	return kinds
}
