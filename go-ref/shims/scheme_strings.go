package main

// Shim, 1.1: scheme, codec, strategies, controllers, deep hash, as they were when
// a version was a string, conversion gave the defaults, and there was no protobuf.

import (
	"encoding/json"
	"fmt"
	"hash"
	"reflect"

	"github.com/ghodss/yaml"
	"k8s.io/kubernetes/pkg/api"
	_ "k8s.io/kubernetes/pkg/api/install"
	"k8s.io/kubernetes/pkg/apis/extensions"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	"k8s.io/kubernetes/pkg/client/record"
	client "k8s.io/kubernetes/pkg/client/unversioned"
	"k8s.io/kubernetes/pkg/controller"
	rc "k8s.io/kubernetes/pkg/registry/controller"
	"k8s.io/kubernetes/pkg/registry/daemonset"
	"k8s.io/kubernetes/pkg/registry/deployment"
	"k8s.io/kubernetes/pkg/registry/job"
	"k8s.io/kubernetes/pkg/registry/pod"
	"k8s.io/kubernetes/pkg/registry/podtemplate"
	"k8s.io/kubernetes/pkg/runtime"
	"k8s.io/kubernetes/pkg/util"
)

// workloadKinds are the names under which the two groups register kinds that
// hold a Pod template, and Pod itself.
var workloadKinds = map[string]bool{
	"Pod":                   true,
	"PodTemplate":           true,
	"ReplicationController": true,
	"Deployment":            true,
	"DaemonSet":             true,
	"Job":                   true,
}

func init() {
	kube.decode = func(data []byte) (interface{}, error) {
		obj, _, _, err := api.Scheme.Raw().DecodeToVersionedObject(data)
		return obj, err
	}
	kube.toInternal = func(versioned interface{}) (interface{}, error) {
		return api.Scheme.ConvertToVersion(versioned.(runtime.Object), "")
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
	kube.deepHash = func(hasher hash.Hash, value interface{}) { util.DeepHashObject(hasher, value) }
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
	client.Interface
	client.PodInterface
	pod *api.Pod
}

func (k *podKeeper) Pods(namespace string) client.PodInterface { return k }

func (k *podKeeper) Create(pod *api.Pod) (*api.Pod, error) {
	k.pod = pod
	return pod, nil
}

// registeredKinds finds the workload kinds among all that the scheme knows.
func registeredKinds() []kind {
	var kinds []kind
	internal := api.Scheme.KnownTypes("")
	for _, version := range []string{"v1", "extensions/v1beta1"} {
		for name, versioned := range api.Scheme.KnownTypes(version) {
			if workloadKinds[name] {
				kinds = append(kinds, kind{version, name, versioned, internal[name]})
			}
		}
	}
	return kinds
}
