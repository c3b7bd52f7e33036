package main

// Shim, 1.9 to 1.12: scheme, codecs, controllers, deep hash. The internal
// Deployment, DaemonSet and ReplicaSet still live in the group extensions, and
// YAML is ghodss'. The strategies, whose packages moved in 1.10, are in
// strategies_*.go.

import (
	"bytes"
	"fmt"
	"hash"

	"github.com/ghodss/yaml"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
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

// protobufRoundTrip uses the serializer of the release's codec factory. Its
// envelope carries apiVersion and kind, but decoding does not write them into
// the object here, as it does from 1.15 on.
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
