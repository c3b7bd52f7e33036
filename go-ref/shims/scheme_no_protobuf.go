package main

// Shim, 1.2: scheme, codecs, strategies, controllers, deep hash, when the
// conversion to the internal version gave the defaults and there was no protobuf.

import (
	"encoding/json"
	"fmt"
	"hash"
	"reflect"

	"github.com/ghodss/yaml"
	"k8s.io/kubernetes/pkg/api"
	_ "k8s.io/kubernetes/pkg/api/install"
	"k8s.io/kubernetes/pkg/api/unversioned"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/extensions"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	clientset "k8s.io/kubernetes/pkg/client/clientset_generated/internalclientset"
	"k8s.io/kubernetes/pkg/client/record"
	core "k8s.io/kubernetes/pkg/client/typed/generated/core/unversioned"
	"k8s.io/kubernetes/pkg/controller"
	rc "k8s.io/kubernetes/pkg/registry/controller"
	"k8s.io/kubernetes/pkg/registry/daemonset"
	"k8s.io/kubernetes/pkg/registry/deployment"
	"k8s.io/kubernetes/pkg/registry/job"
	"k8s.io/kubernetes/pkg/registry/pod"
	"k8s.io/kubernetes/pkg/registry/podtemplate"
	"k8s.io/kubernetes/pkg/registry/replicaset"
	"k8s.io/kubernetes/pkg/runtime"
	hashutil "k8s.io/kubernetes/pkg/util/hash"
)

// workloadKinds are the names under which the groups register kinds that
// hold a Pod template, and Pod itself.
var workloadKinds = map[string]bool{
	"Pod":                   true,
	"PodTemplate":           true,
	"ReplicationController": true,
	"ReplicaSet":            true,
	"Deployment":            true,
	"DaemonSet":             true,
	"Job":                   true,
}

func init() {
	kube.decode = func(data []byte) (interface{}, error) {
		obj, _, err := api.Codecs.UniversalDeserializer().Decode(data, nil, nil)
		return obj, err
	}
	kube.toInternal = func(versioned interface{}) (interface{}, error) {
		gvk := versioned.(runtime.Object).GetObjectKind().GroupVersionKind()
		internal := unversioned.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
		return api.Scheme.ConvertToVersion(versioned.(runtime.Object), internal.String())
	}
	kube.toVersioned = func(internal interface{}, apiVersion string) (interface{}, error) {
		return api.Scheme.ConvertToVersion(internal.(runtime.Object), apiVersion)
	}
	kube.prepareForCreate = prepareForCreate
	kube.roundTrip = func(versioned interface{}) (interface{}, error) {
		data, err := json.Marshal(versioned)
		if err != nil {
			return nil, err
		}
		return kube.decode(data)
	}
	kube.podFromTemplate = podFromTemplate
	kube.deepHash = func(hasher hash.Hash, value interface{}) { hashutil.DeepHashObject(hasher, value) }
	kube.yamlToJSON = yaml.YAMLToJSON
	kube.kinds = registeredKinds
}

// prepareForCreate calls the method of the strategy that the API server's
// storage has for the kind.
func prepareForCreate(internal interface{}) error {
	switch obj := internal.(type) {
	case *api.Pod:
		pod.Strategy.PrepareForCreate(obj)
	case *api.PodTemplate:
		podtemplate.Strategy.PrepareForCreate(obj)
	case *api.ReplicationController:
		rc.Strategy.PrepareForCreate(obj)
	case *extensions.ReplicaSet:
		replicaset.Strategy.PrepareForCreate(obj)
	case *extensions.Deployment:
		deployment.Strategy.PrepareForCreate(obj)
	case *extensions.DaemonSet:
		daemonset.Strategy.PrepareForCreate(obj)
	case *extensions.Job:
		job.Strategy.PrepareForCreate(obj)
	default:
		return fmt.Errorf("no strategy for %T", internal)
	}
	return nil
}

// podFromTemplate lets the real Pod control create the Pod, with a client that
// keeps it.
func podFromTemplate(workload, template interface{}, indexed bool) (interface{}, error) {
	internal, err := kube.toInternal(workload)
	if err != nil {
		return nil, err
	}
	t, _ := podTemplateOf(internal)
	if !t.IsValid() {
		return nil, fmt.Errorf("%T has no Pod template", internal)
	}
	spec := t.Addr().Interface().(*api.PodTemplateSpec)
	// The Pod's annotation kubernetes.io/created-by is made of its owner's self
	// link, which the API server writes into what it serves; and no Pod without
	// labels is created. Neither has a say in the Pod's spec.
	if link := reflect.ValueOf(internal).Elem().FieldByName("SelfLink"); link.String() == "" {
		link.SetString("/api/v1/namespaces/default/owners/owner")
	}
	if len(spec.Labels) == 0 {
		spec.Labels = map[string]string{"owner": "owner"}
	}
	kept := &podKeeper{}
	control := controller.RealPodControl{KubeClient: kept, Recorder: &record.FakeRecorder{}}
	if err := control.CreatePods(admissionNamespace, spec, internal.(runtime.Object)); err != nil {
		return nil, err
	}
	return kube.toVersioned(kept.pod, "v1")
}

// podKeeper is a client that can create Pods and do nothing else.
type podKeeper struct {
	clientset.Interface
	core.CoreInterface
	core.PodInterface
	pod *api.Pod
}

func (k *podKeeper) Core() core.CoreInterface                { return k }
func (k *podKeeper) Pods(namespace string) core.PodInterface { return k }

func (k *podKeeper) Create(pod *api.Pod) (*api.Pod, error) {
	k.pod = pod
	return pod, nil
}

// registeredKinds finds the workload kinds among all that the scheme knows.
func registeredKinds() []kind {
	var kinds []kind
	for _, gv := range []unversioned.GroupVersion{
		{Version: "v1"},
		{Group: "batch", Version: "v1"},
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
