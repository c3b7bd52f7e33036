package main

// Shim, 1.2 to 1.5: the Deployment controller, which works on internal objects, on
// a fake clientset.
//
// The controller is made by its real constructor, and its real sync function is
// called again and again. What it writes goes to a small world of objects in place
// of an API server; the Pods of ReplicaSets are Ready for long. The controller's
// private fields are reached by reflection.

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/api/errors"
	"k8s.io/kubernetes/pkg/api/unversioned"
	"k8s.io/kubernetes/pkg/apis/extensions"
	"k8s.io/kubernetes/pkg/client/clientset_generated/internalclientset/fake"
	"k8s.io/kubernetes/pkg/client/testing/core"
	"k8s.io/kubernetes/pkg/labels"
	"k8s.io/kubernetes/pkg/runtime"
	"k8s.io/kubernetes/pkg/types"
)

func init() { kube.reconcile = reconcileDeployment }

// deploymentVersion is the only version of Deployments and ReplicaSets.
const deploymentVersion = "extensions/v1beta1"

// world holds a Deployment, its ReplicaSets, and their Pods by ReplicaSet.
type world struct {
	sync.Mutex
	deployment *extensions.Deployment
	sets       map[string]*extensions.ReplicaSet
	pods       map[string][]*api.Pod
	writes     int
}

// noEvents is a recorder of events that are nobody's business.
type noEvents struct{}

func (noEvents) Event(runtime.Object, string, string, string)                  {}
func (noEvents) Eventf(runtime.Object, string, string, string, ...interface{}) {}
func (noEvents) PastEventf(runtime.Object, unversioned.Time, string, string, string, ...interface{}) {
}

func reconcileDeployment(workload interface{}, before *state) (*state, error) {
	if kindOf(workload) != "Deployment" {
		return nil, skipped("no controller that names or rolls something for " + kindOf(workload))
	}
	if before.CollisionCount != nil {
		return nil, skipped("the release has no collision counts")
	}
	internal, err := kube.toInternal(workload)
	if err != nil {
		return nil, err
	}
	d := internal.(*extensions.Deployment)
	if d.Namespace == "" {
		d.Namespace = "default"
	}
	if d.Name == "" {
		return nil, fmt.Errorf("metadata.name: a controller needs one")
	}
	d.UID = types.UID("workload")
	selector, err := unversioned.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil {
		return nil, err
	}
	if selector.Empty() || !selector.Matches(labels.Set(d.Spec.Template.Labels)) {
		return nil, fmt.Errorf("spec.selector does not select the labels of spec.template")
	}
	w := &world{deployment: d, sets: map[string]*extensions.ReplicaSet{}, pods: map[string][]*api.Pod{}}
	for i, set := range before.ReplicaSets {
		if err := w.add(i, &set); err != nil {
			return nil, err
		}
	}
	for round := 0; ; round++ {
		if round == 500 {
			return nil, fmt.Errorf("the controller does not come to rest")
		}
		w.writes = 0
		err := w.round()
		if w.writes > 0 {
			continue // after an error, too, a controller tries again
		}
		if err != nil {
			return nil, err
		}
		return w.state()
	}
}

// add puts a ReplicaSet that was there before into the world.
func (w *world) add(number int, set *replicaSet) error {
	data, err := json.Marshal(map[string]interface{}{
		"apiVersion": deploymentVersion,
		"kind":       "ReplicaSet",
		"metadata":   map[string]interface{}{"name": set.Name, "labels": set.Labels},
		"spec": map[string]interface{}{
			"replicas": set.Replicas,
			"selector": map[string]interface{}{"matchLabels": set.Labels},
			"template": set.Template,
		},
	})
	if err != nil {
		return err
	}
	object, err := kube.decode(data)
	if err != nil {
		return err
	}
	if object, err = serve(object); err != nil {
		return err
	}
	if object, err = kube.toInternal(object); err != nil {
		return err
	}
	rs := object.(*extensions.ReplicaSet)
	rs.Namespace = w.deployment.Namespace
	rs.UID = types.UID(fmt.Sprintf("replicaset-%d", number))
	w.put(rs)
	return nil
}

// put stores a ReplicaSet as its controller would leave it a while later: with as
// many Pods as it wants, new ones made of its template.
func (w *world) put(rs *extensions.ReplicaSet) {
	rs.CreationTimestamp = settled
	w.sets[rs.Name] = rs
	pods := w.pods[rs.Name]
	for i := len(pods); i < int(rs.Spec.Replicas); i++ {
		pods = append(pods, podOf(rs, i))
	}
	w.pods[rs.Name] = pods[:int(rs.Spec.Replicas)]
	w.tell(rs)
	w.writes++
}

// tell brings a ReplicaSet's status up to date.
func (w *world) tell(rs *extensions.ReplicaSet) {
	labeled := 0
	selector := labels.Set(rs.Spec.Template.Labels).AsSelector()
	for _, pod := range w.pods[rs.Name] {
		if selector.Matches(labels.Set(pod.Labels)) {
			labeled++
		}
	}
	status := reflect.ValueOf(&rs.Status).Elem()
	for _, name := range []string{"Replicas", "ReadyReplicas", "AvailableReplicas"} {
		if field := status.FieldByName(name); field.IsValid() {
			field.SetInt(int64(rs.Spec.Replicas))
		}
	}
	status.FieldByName("FullyLabeledReplicas").SetInt(int64(labeled))
	rs.Status.ObservedGeneration = rs.Generation
}

// settled is when everything in the world became ready: long ago.
var settled = unversioned.Time{Time: time.Unix(946684800, 0)}

// podOf makes a Pod of a ReplicaSet, Running and Ready.
func podOf(rs *extensions.ReplicaSet, number int) *api.Pod {
	template := copyOf(rs).(*extensions.ReplicaSet).Spec.Template
	pod := &api.Pod{Spec: template.Spec}
	pod.Name = fmt.Sprintf("%s-%d", rs.Name, number)
	pod.Namespace = rs.Namespace
	pod.Labels = template.Labels
	pod.CreationTimestamp = settled
	pod.Status.Phase = api.PodRunning
	pod.Status.Conditions = []api.PodCondition{{
		Type: api.PodReady, Status: api.ConditionTrue, LastTransitionTime: settled,
	}}
	return pod
}

// podNamed finds a Pod and its ReplicaSet.
func (w *world) podNamed(name string) (*api.Pod, *extensions.ReplicaSet) {
	for set, pods := range w.pods {
		for _, pod := range pods {
			if pod.Name == name {
				return pod, w.sets[set]
			}
		}
	}
	return nil, nil
}

// private is a private field of a struct.
func private(object interface{}, names ...string) reflect.Value {
	for _, name := range names {
		if field := reflect.ValueOf(object).Elem().FieldByName(name); field.IsValid() {
			return reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
		}
	}
	return reflect.Value{}
}

// fillStore adds an object to what a lister looks into.
func fillStore(lister reflect.Value, object interface{}) error {
	store := reflect.Indirect(lister).Field(0).Interface()
	return store.(interface {
		Add(object interface{}) error
	}).Add(object)
}

// round makes a controller that sees the world as it is, and lets it work once.
func (w *world) round() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	client := fake.NewSimpleClientset()
	client.PrependReactor("*", "*", w.react)
	controller := newDeploymentController(client)
	private(controller, "eventRecorder").Set(reflect.ValueOf(noEvents{}))
	for _, name := range []string{"dStoreSynced", "rsStoreSynced", "podStoreSynced", "dListerSynced", "rsListerSynced", "podListerSynced"} {
		if synced := private(controller, name); synced.IsValid() {
			synced.Set(reflect.ValueOf(func() bool { return true }).Convert(synced.Type()))
		}
	}
	if err := fillStore(private(controller, "dStore", "dLister"), copyOf(w.deployment)); err != nil {
		return err
	}
	for _, rs := range w.sets {
		if err := fillStore(private(controller, "rsStore", "rsLister"), copyOf(rs)); err != nil {
			return err
		}
	}
	for _, pods := range w.pods {
		for _, pod := range pods {
			if err := fillStore(private(controller, "podStore", "podLister"), copyOf(pod)); err != nil {
				return err
			}
		}
	}
	work := private(controller, "syncHandler").Interface().(func(string) error)
	return work(w.deployment.Namespace + "/" + w.deployment.Name)
}

// react does what an API server does with a request.
func (w *world) react(action core.Action) (bool, runtime.Object, error) {
	w.Lock()
	defer w.Unlock()
	// A name in 1.2, a struct later.
	resource := reflect.Indirect(reflect.ValueOf(action).MethodByName("GetResource").Call(nil)[0])
	if resource.Kind() == reflect.Struct {
		resource = resource.FieldByName("Resource")
	}
	group := unversioned.GroupResource{Resource: resource.String()}
	switch action.GetVerb() + " " + resource.String() {
	case "list replicasets":
		list := &extensions.ReplicaSetList{}
		for _, rs := range w.sets {
			list.Items = append(list.Items, *copyOf(rs).(*extensions.ReplicaSet))
		}
		return true, list, nil
	case "list pods":
		list := &api.PodList{}
		for _, pods := range w.pods {
			for _, pod := range pods {
				list.Items = append(list.Items, *copyOf(pod).(*api.Pod))
			}
		}
		return true, list, nil
	case "get pods":
		name := action.(core.GetAction).GetName()
		if pod, _ := w.podNamed(name); pod != nil {
			return true, copyOf(pod), nil
		}
		return true, nil, errors.NewNotFound(group, name)
	case "update pods":
		updated := copyOf(action.(core.UpdateAction).GetObject()).(*api.Pod)
		pod, rs := w.podNamed(updated.Name)
		if pod == nil {
			return true, nil, errors.NewNotFound(group, updated.Name)
		}
		if !reflect.DeepEqual(pod, updated) {
			*pod = *updated
			w.tell(rs)
			w.writes++
		}
		return true, copyOf(updated), nil
	case "get deployments":
		return true, copyOf(w.deployment), nil
	case "update deployments":
		d := copyOf(action.(core.UpdateAction).GetObject()).(*extensions.Deployment)
		if !reflect.DeepEqual(d, w.deployment) {
			w.deployment = d
			w.writes++
		}
		return true, copyOf(d), nil
	case "get replicasets":
		name := action.(core.GetAction).GetName()
		if rs, ok := w.sets[name]; ok {
			return true, copyOf(rs), nil
		}
		return true, nil, errors.NewNotFound(group, name)
	case "create replicasets":
		rs := copyOf(action.(core.CreateAction).GetObject()).(*extensions.ReplicaSet)
		if _, ok := w.sets[rs.Name]; ok {
			return true, nil, errors.NewAlreadyExists(group, rs.Name)
		}
		persisted, err := persist(rs)
		if err != nil {
			return true, nil, err
		}
		persisted.Namespace = action.GetNamespace()
		persisted.UID = types.UID(rs.Name)
		w.put(persisted)
		return true, copyOf(persisted), nil
	case "update replicasets":
		rs := copyOf(action.(core.UpdateAction).GetObject()).(*extensions.ReplicaSet)
		if old, ok := w.sets[rs.Name]; !ok {
			return true, nil, errors.NewNotFound(group, rs.Name)
		} else if !reflect.DeepEqual(old, rs) {
			w.put(rs)
		}
		return true, copyOf(rs), nil
	case "delete replicasets":
		name := action.(core.DeleteAction).GetName()
		delete(w.sets, name)
		delete(w.pods, name)
		w.writes++
		return true, nil, nil
	}
	return true, nil, fmt.Errorf("the fake API server has no %s of %s", action.GetVerb(), resource.String())
}

// persist is what the release's API server makes of a new ReplicaSet.
func persist(rs *extensions.ReplicaSet) (*extensions.ReplicaSet, error) {
	object, err := kube.toVersioned(rs, deploymentVersion)
	if err != nil {
		return nil, err
	}
	if object, err = create(object, false); err != nil {
		return nil, err
	}
	if object, err = kube.toInternal(object); err != nil {
		return nil, err
	}
	return object.(*extensions.ReplicaSet), nil
}

// state tells what there is in the end.
func (w *world) state() (*state, error) {
	o := &state{}
	for _, rs := range w.sets {
		versioned, err := kube.toVersioned(copyOf(rs), deploymentVersion)
		if err != nil {
			return nil, err
		}
		template, _ := podTemplateOf(versioned)
		data, err := json.Marshal(template.Interface())
		if err != nil {
			return nil, err
		}
		o.ReplicaSets = append(o.ReplicaSets, replicaSet{
			Name: rs.Name, Replicas: int64(rs.Spec.Replicas), Labels: rs.Labels, Template: (*json.RawMessage)(&data),
		})
	}
	o.order()
	return o, nil
}

func copyOf(object runtime.Object) runtime.Object {
	copied, err := api.Scheme.Copy(object)
	if err != nil {
		panic(err)
	}
	return copied
}
