package main

// Shim, 1.6 to 1.37: the Deployment, DaemonSet and StatefulSet controllers on a
// fake clientset.
//
// A controller is made by its real constructor and its real sync function is
// called again and again. What it writes goes to a small world of objects in
// place of an API server; Pods that it creates are Running and Ready at once,
// ReplicaSets have as many replicas as they are told to. Everything is reached
// by reflection: constructors differ in their parameters, and parameters can
// be told by their types.

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

// workloadController is a controller's constructor and its sync function.
type workloadController struct {
	construct interface{}
	sync      func(controller reflect.Value, key string) error
	resource  string
}

var workloadControllers = map[string]workloadController{
	"Deployment":  {deployment.NewDeploymentController, syncDeployment, "deployments"},
	"DaemonSet":   {daemon.NewDaemonSetsController, syncDaemonSet, "daemonsets"},
	"StatefulSet": {statefulset.NewStatefulSetController, syncStatefulSet, "statefulsets"},
}

func init() {
	kube.controllerVersion = func(kind string) string {
		c, ok := workloadControllers[kind]
		if !ok {
			return ""
		}
		return newFakeCluster().versionOf(c)
	}
	kube.reconcile = reconcile
}

// world holds objects by resource and name; all are in one namespace.
type world struct {
	sync.Mutex
	objects map[string]map[string]runtime.Object
	// named are the UIDs of objects whose name the API server made up.
	named   map[types.UID]bool
	writes  int
	created int
}

// settled is when everything in the world became ready: long ago.
var settled = metav1.Time{Time: time.Unix(946684800, 0)}

func reconcile(workload interface{}, before *state) (*state, error) {
	kind := kindOf(workload)
	c, ok := workloadControllers[kind]
	if !ok {
		return nil, skipped("no controller that names or rolls something for " + kind)
	}
	object := workload.(runtime.Object)
	meta := metaOf(object)
	if meta.Namespace == "" {
		meta.Namespace = "default"
	}
	if meta.Name == "" {
		return nil, fmt.Errorf("metadata.name: a controller needs one")
	}
	meta.UID = types.UID("workload")
	if err := selectsItself(object); err != nil {
		return nil, err
	}
	status := reflect.ValueOf(object).Elem().FieldByName("Status")
	if count := before.CollisionCount; count != nil {
		field := status.FieldByName("CollisionCount")
		if !field.IsValid() {
			return nil, skipped("the release has no collision counts")
		}
		field.Set(reflect.New(field.Type().Elem()))
		field.Elem().SetInt(*count)
	}
	if field := status.FieldByName("CurrentRevision"); field.IsValid() {
		field.SetString(before.CurrentRevision)
		status.FieldByName("UpdateRevision").SetString(before.UpdateRevision)
	}
	w := &world{objects: map[string]map[string]runtime.Object{}, named: map[types.UID]bool{}}
	if err := w.fill(c, object, before); err != nil {
		return nil, err
	}
	for round := 0; ; round++ {
		if round == 500 {
			return nil, fmt.Errorf("the controller does not come to rest")
		}
		w.writes = 0
		err := w.round(c, meta.Namespace+"/"+meta.Name)
		if w.writes > 0 {
			continue // after an error, too, a controller tries again
		}
		if err != nil {
			return nil, err
		}
		break
	}
	return w.state(c, meta.Name, before)
}

// selectsItself fails where a workload's selector does not select the labels of its
// template: no API server accepts that, and the controller would never come to rest.
func selectsItself(workload runtime.Object) error {
	field := reflect.ValueOf(workload).Elem().FieldByName("Spec").FieldByName("Selector")
	selector, err := metav1.LabelSelectorAsSelector(field.Interface().(*metav1.LabelSelector))
	if err != nil {
		return err
	}
	template, _ := podTemplateOf(workload)
	found := template.FieldByName("ObjectMeta").FieldByName("Labels").Interface().(map[string]string)
	if selector.Empty() || !selector.Matches(labels.Set(found)) {
		return fmt.Errorf("spec.selector does not select the labels of spec.template")
	}
	return nil
}

// round makes a controller that sees the world as it is, and lets it work once. A
// controller manager that dies of a panic starts again.
func (w *world) round(c workloadController, key string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	cluster := newFakeCluster()
	cluster.client.PrependReactor("*", "*", w.react)
	var controller reflect.Value
	if controller, err = cluster.call(c.construct); err != nil {
		return err
	}
	for _, byName := range w.objects {
		for _, object := range byName {
			if informer := cluster.informerOf(reflect.TypeOf(object)); informer.IsValid() {
				shared := informer.MethodByName("Informer").Call(nil)[0].Interface().(cache.SharedIndexInformer)
				if err := shared.GetIndexer().Add(copyOf(object)); err != nil {
					return err
				}
			}
		}
	}
	return c.sync(controller, key)
}

// react does what an API server does with a request.
func (w *world) react(action testing.Action) (bool, runtime.Object, error) {
	w.Lock()
	defer w.Unlock()
	resource := action.GetResource().Resource
	if resource == "events" {
		if create, ok := action.(testing.CreateAction); ok {
			return true, create.GetObject(), nil
		}
		return true, nil, fmt.Errorf("nobody asks for events")
	}
	byName := w.objects[resource]
	notFound := func(name string) error {
		return errors.NewNotFound(schema.GroupResource{Resource: resource}, name)
	}
	switch action.GetVerb() {
	case "create":
		object := copyOf(action.(testing.CreateAction).GetObject())
		meta := metaOf(object)
		w.created++
		uid := types.UID(fmt.Sprintf("%s-%d", resource, w.created))
		if meta.Name == "" {
			meta.Name = fmt.Sprintf("%s%05d", meta.GenerateName, w.created)
			w.named[uid] = true
		}
		if _, ok := byName[meta.Name]; ok {
			return true, nil, errors.NewAlreadyExists(schema.GroupResource{Resource: resource}, meta.Name)
		}
		meta.Namespace = action.GetNamespace()
		if resource == "replicasets" {
			persisted, err := persist(object)
			if err != nil {
				return true, nil, err
			}
			object, meta = persisted, metaOf(persisted)
		}
		meta.UID = uid
		w.put(resource, object)
		return true, copyOf(object), nil
	case "update":
		object := copyOf(action.(testing.UpdateAction).GetObject())
		old, ok := byName[metaOf(object).Name]
		if !ok {
			return true, nil, notFound(metaOf(object).Name)
		}
		if !reflect.DeepEqual(old, object) {
			w.put(resource, object)
		}
		return true, copyOf(object), nil
	case "delete":
		name := action.(testing.DeleteAction).GetName()
		if _, ok := byName[name]; !ok {
			return true, nil, notFound(name)
		}
		delete(byName, name)
		w.writes++
		return true, nil, nil
	case "patch":
		patch := action.(patchAction)
		old, ok := byName[patch.GetName()]
		if !ok {
			return true, nil, notFound(patch.GetName())
		}
		object, err := patched(old, patch.GetPatch())
		if err != nil {
			return true, nil, err
		}
		if !reflect.DeepEqual(old, object) {
			w.put(resource, object)
		}
		return true, copyOf(object), nil
	case "get":
		name := action.(testing.GetAction).GetName()
		if object, ok := byName[name]; ok {
			return true, copyOf(object), nil
		}
		return true, nil, notFound(name)
	}
	return true, nil, fmt.Errorf("the fake API server has no %s of %s", action.GetVerb(), resource)
}

// patchAction is testing.PatchAction, which 1.6 and 1.7 have no name for.
type patchAction interface {
	GetName() string
	GetPatch() []byte
}

// patched is a copy of an object with a strategic merge patch applied. Controllers
// send no other kind that the difference would matter to.
func patched(object runtime.Object, patch []byte) (runtime.Object, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	empty := reflect.New(reflect.TypeOf(object).Elem()).Interface()
	if data, err = strategicpatch.StrategicMergePatch(data, patch, empty); err != nil {
		return nil, err
	}
	result := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
	return result, json.Unmarshal(data, result)
}

// persist is what the release's API server makes of a new ReplicaSet: among other
// things it gives labels to those that have none.
func persist(object runtime.Object) (runtime.Object, error) {
	v := reflect.ValueOf(object).Elem()
	for _, k := range kube.kinds() {
		if k.versioned == v.Type() {
			v.FieldByName("APIVersion").SetString(k.apiVersion)
			v.FieldByName("Kind").SetString(k.name)
		}
	}
	created, err := create(object, false)
	if err != nil {
		return nil, err
	}
	return created.(runtime.Object), nil
}

// put stores an object that somebody wrote, as its kubelet or controller would
// leave it a while later.
func (w *world) put(resource string, object runtime.Object) {
	if w.objects[resource] == nil {
		w.objects[resource] = map[string]runtime.Object{}
	}
	settle(object)
	w.objects[resource][metaOf(object).Name] = object
	w.writes++
	if resource == "replicasets" && replicaSetsHavePods {
		w.putPods(object)
	}
}

// replicaSetsHavePods says that the controller looks for ReplicaSets by their Pods.
var replicaSetsHavePods bool

// putPods gives a ReplicaSet the Pods that it wants.
func (w *world) putPods(set runtime.Object) {
	meta, spec := metaOf(set), reflect.ValueOf(set).Elem().FieldByName("Spec")
	if w.objects["pods"] == nil {
		w.objects["pods"] = map[string]runtime.Object{}
	}
	for name, pod := range w.objects["pods"] {
		if metaOf(pod).GenerateName == meta.Name {
			delete(w.objects["pods"], name)
		}
	}
	yes := true
	for i := 0; i < int(spec.FieldByName("Replicas").Elem().Int()); i++ {
		for _, k := range kube.kinds() {
			if k.name != "Pod" {
				continue
			}
			pod := reflect.New(k.versioned).Interface().(runtime.Object)
			m := metaOf(pod)
			m.Name, m.GenerateName, m.Namespace = fmt.Sprintf("%s-%d", meta.Name, i), meta.Name, meta.Namespace
			m.Labels = spec.FieldByName("Template").FieldByName("ObjectMeta").FieldByName("Labels").Interface().(map[string]string)
			m.UID = types.UID(m.Name)
			m.OwnerReferences = []metav1.OwnerReference{{Kind: "ReplicaSet", Name: meta.Name, UID: meta.UID, Controller: &yes}}
			settle(pod)
			w.objects["pods"][m.Name] = pod
		}
	}
}

// settle makes a Pod Running and Ready, and gives a ReplicaSet its replicas.
func settle(object runtime.Object) {
	v := reflect.ValueOf(object).Elem()
	status := v.FieldByName("Status")
	switch v.Type().Name() {
	case "Pod":
		status.FieldByName("Phase").SetString("Running")
		conditions := status.FieldByName("Conditions")
		conditions.Set(reflect.Zero(conditions.Type()))
		ready := reflect.New(conditions.Type().Elem()).Elem()
		ready.FieldByName("Type").SetString("Ready")
		ready.FieldByName("Status").SetString("True")
		ready.FieldByName("LastTransitionTime").Set(reflect.ValueOf(settled))
		conditions.Set(reflect.Append(conditions, ready))
		metaOf(object).CreationTimestamp = settled
		spec := v.FieldByName("Spec")
		if spec.FieldByName("NodeName").String() == "" {
			spec.FieldByName("NodeName").SetString(affineNode(spec))
		}
	case "ReplicaSet":
		metaOf(object).CreationTimestamp = settled
		replicas := v.FieldByName("Spec").FieldByName("Replicas")
		for _, name := range []string{"Replicas", "FullyLabeledReplicas", "ReadyReplicas", "AvailableReplicas"} {
			if field := status.FieldByName(name); field.IsValid() && !replicas.IsNil() {
				field.Set(replicas.Elem())
			}
		}
		status.FieldByName("ObservedGeneration").SetInt(metaOf(object).Generation)
	}
}

// affineNode is the node that a DaemonSet's controller wants for a Pod which it
// leaves to the scheduler.
func affineNode(spec reflect.Value) string {
	affinity := spec.FieldByName("Affinity")
	if !affinity.IsValid() || affinity.IsNil() {
		return ""
	}
	node := affinity.Elem().FieldByName("NodeAffinity")
	if node.IsNil() {
		return ""
	}
	required := node.Elem().FieldByName("RequiredDuringSchedulingIgnoredDuringExecution")
	if required.IsNil() {
		return ""
	}
	terms := required.Elem().FieldByName("NodeSelectorTerms")
	for i := 0; i < terms.Len(); i++ {
		fields := terms.Index(i).FieldByName("MatchFields")
		for j := 0; fields.IsValid() && j < fields.Len(); j++ {
			values := fields.Index(j).FieldByName("Values")
			if fields.Index(j).FieldByName("Key").String() == "metadata.name" && values.Len() == 1 {
				return values.Index(0).String()
			}
		}
	}
	return ""
}

// nodes is how many nodes a DaemonSet finds.
const nodes = 3

// fill puts the workload and what was there before into the world.
func (w *world) fill(c workloadController, workload runtime.Object, before *state) error {
	cluster := newFakeCluster()
	w.put(c.resource, workload)
	meta := metaOf(workload)
	template, _ := podTemplateOf(workload)
	spec := template.FieldByName("Spec")
	yes := true
	apiVersion := reflect.ValueOf(workload).Elem().FieldByName("APIVersion").String()
	owner := metav1.OwnerReference{
		APIVersion: apiVersion, Kind: kindOf(workload), Name: meta.Name, UID: meta.UID,
		Controller: &yes, BlockOwnerDeletion: &yes,
	}
	own := func(object runtime.Object) {
		m := metaOf(object)
		m.Namespace = meta.Namespace
		m.OwnerReferences = []metav1.OwnerReference{owner}
	}
	for i, r := range before.Revisions {
		object := cluster.newObject("ControllerRevision", c.construct)
		m := metaOf(object)
		m.Name, m.Labels, m.UID = r.Name, r.Labels, types.UID(fmt.Sprintf("revision-%d", i))
		own(object)
		v := reflect.ValueOf(object).Elem()
		v.FieldByName("Revision").SetInt(r.Revision)
		v.FieldByName("Data").FieldByName("Raw").SetBytes([]byte(r.Data))
		w.put("controllerrevisions", object)
	}
	for i, set := range before.ReplicaSets {
		data, err := json.Marshal(map[string]interface{}{
			"apiVersion": apiVersion,
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
		if object, err = serveAs(object, apiVersion); err != nil {
			return err
		}
		if object, err = receive(object); err != nil {
			return err
		}
		m := metaOf(object.(runtime.Object))
		m.UID = types.UID(fmt.Sprintf("replicaset-%d", i))
		own(object.(runtime.Object))
		w.put("replicasets", object.(runtime.Object))
	}
	for i, p := range before.Pods {
		object := cluster.newObject("Pod", c.construct)
		m := metaOf(object)
		m.Name, m.Labels, m.UID = p.Name, p.Labels, types.UID(fmt.Sprintf("pod-%d", i))
		own(object)
		podSpec := reflect.ValueOf(object).Elem().FieldByName("Spec")
		podSpec.Set(spec)
		podSpec.FieldByName("NodeName").SetString(p.Node)
		w.put("pods", object)
	}
	if _, ok := cluster.parameter(c.construct, "Node"); ok {
		for i := 1; i <= nodes; i++ {
			w.put("nodes", node(cluster, c.construct, i, spec))
		}
	}
	return nil
}

// node is Ready, as large as can be, and has the labels that the Pods want.
func node(cluster *fakeCluster, construct interface{}, number int, podSpec reflect.Value) runtime.Object {
	object := cluster.newObject("Node", construct)
	m := metaOf(object)
	m.Name = fmt.Sprintf("node-%d", number)
	m.Labels = map[string]string{}
	for key, value := range podSpec.FieldByName("NodeSelector").Interface().(map[string]string) {
		m.Labels[key] = value
	}
	status := reflect.ValueOf(object).Elem().FieldByName("Status")
	conditions := status.FieldByName("Conditions")
	ready := reflect.New(conditions.Type().Elem()).Elem()
	ready.FieldByName("Type").SetString("Ready")
	ready.FieldByName("Status").SetString("True")
	conditions.Set(reflect.Append(conditions, ready))
	for _, name := range []string{"Capacity", "Allocatable"} {
		list := status.FieldByName(name)
		list.Set(reflect.MakeMap(list.Type()))
		for _, resource := range []string{"cpu", "memory", "pods", "ephemeral-storage"} {
			amount := reflect.ValueOf(mustParse("1P"))
			list.SetMapIndex(reflect.ValueOf(resource).Convert(list.Type().Key()), amount)
		}
	}
	return object
}

// state tells what there is in the end.
func (w *world) state(c workloadController, name string, before *state) (*state, error) {
	o := &state{}
	for _, object := range w.objects["controllerrevisions"] {
		v, m := reflect.ValueOf(object).Elem(), metaOf(object)
		o.Revisions = append(o.Revisions, revision{
			Name: m.Name, Revision: v.FieldByName("Revision").Int(), Labels: m.Labels,
			Data: string(v.FieldByName("Data").FieldByName("Raw").Bytes()),
		})
	}
	for _, object := range w.objects["replicasets"] {
		m := metaOf(object)
		spec := reflect.ValueOf(object).Elem().FieldByName("Spec")
		set := replicaSet{Name: m.Name, Labels: m.Labels}
		if replicas := spec.FieldByName("Replicas"); !replicas.IsNil() {
			set.Replicas = replicas.Elem().Int()
		}
		template, err := json.Marshal(spec.FieldByName("Template").Interface())
		if err != nil {
			return nil, err
		}
		set.Template = (*json.RawMessage)(&template)
		o.ReplicaSets = append(o.ReplicaSets, set)
	}
	uids := map[types.UID]bool{}
	for _, object := range w.objects["pods"] {
		m := metaOf(object)
		if len(m.OwnerReferences) > 0 && m.OwnerReferences[0].Kind == "ReplicaSet" {
			continue // not the workload's own
		}
		uids[m.UID] = true
		p := podState{Name: m.Name, Labels: m.Labels}
		p.Node = reflect.ValueOf(object).Elem().FieldByName("Spec").FieldByName("NodeName").String()
		if w.named[m.UID] {
			p.Name = m.GenerateName + p.Node // the controller goes through the nodes in any order
		}
		o.Pods = append(o.Pods, p)
	}
	for i, p := range before.Pods {
		if !uids[types.UID(fmt.Sprintf("pod-%d", i))] {
			o.Replaced = append(o.Replaced, p.Name)
		}
	}
	o.order()
	status := reflect.ValueOf(w.objects[c.resource][name]).Elem().FieldByName("Status")
	if f := status.FieldByName("CollisionCount"); f.IsValid() && !f.IsNil() {
		count := f.Elem().Int()
		o.CollisionCount = &count
	}
	if f := status.FieldByName("CurrentRevision"); f.IsValid() {
		o.CurrentRevision = f.String()
		o.UpdateRevision = status.FieldByName("UpdateRevision").String()
	}
	return o, nil
}

func metaOf(object runtime.Object) *metav1.ObjectMeta {
	return reflect.ValueOf(object).Elem().FieldByName("ObjectMeta").Addr().Interface().(*metav1.ObjectMeta)
}

// informerOf is the informer for objects of a type: the one of the factory
// whose lister returns them. The zero Value if the factory has none.
func (c *fakeCluster) informerOf(object reflect.Type) reflect.Value {
	return c.find(func(informer reflect.Value) bool { return listed(informer.Type()) == object })
}

// find goes through the informers of the factory: its methods are groups, their
// methods versions, theirs informers.
func (c *fakeCluster) find(wanted func(informer reflect.Value) bool) reflect.Value {
	for _, group := range yields(reflect.ValueOf(c.factory)) {
		for _, version := range yields(group) {
			for _, informer := range yields(version) {
				if wanted(informer) {
					return informer
				}
			}
		}
	}
	return reflect.Value{}
}

// yields are the results of all methods that take nothing and return one
// interface.
func yields(v reflect.Value) []reflect.Value {
	var results []reflect.Value
	for i := 0; i < v.NumMethod(); i++ {
		t := v.Method(i).Type()
		if t.NumIn() == 0 && t.NumOut() == 1 && t.Out(0).Kind() == reflect.Interface {
			results = append(results, v.Method(i).Call(nil)[0].Elem().Convert(t.Out(0)))
		}
	}
	return results
}

// listed is the type of the objects that an informer's lister lists; nil for
// anything that is not an informer.
func listed(informer reflect.Type) reflect.Type {
	lister, ok := informer.MethodByName("Lister")
	if !ok || lister.Type.NumOut() != 1 {
		return nil
	}
	list, ok := lister.Type.Out(0).MethodByName("List")
	if !ok || list.Type.NumOut() != 2 || list.Type.Out(0).Kind() != reflect.Slice {
		return nil
	}
	return list.Type.Out(0).Elem()
}

// parameter is the type of the objects that a constructor's informer of that
// kind lists.
func (c *fakeCluster) parameter(construct interface{}, kind string) (reflect.Type, bool) {
	t := reflect.TypeOf(construct)
	for i := 0; i < t.NumIn(); i++ {
		if object := listed(t.In(i)); object != nil && object.Elem().Name() == kind {
			return object, true
		}
	}
	return nil, false
}

func (c *fakeCluster) newObject(kind string, construct interface{}) runtime.Object {
	t, _ := c.parameter(construct, kind)
	return reflect.New(t.Elem()).Interface().(runtime.Object)
}

// versionOf is the apiVersion of what a controller watches.
func (c *fakeCluster) versionOf(controller workloadController) string {
	for _, k := range kube.kinds() {
		if t, ok := c.parameter(controller.construct, k.name); ok && workloadControllers[k.name].resource == controller.resource && t.Elem() == k.versioned {
			return k.apiVersion
		}
	}
	return ""
}

// call calls a constructor with what it wants.
func (c *fakeCluster) call(construct interface{}) (reflect.Value, error) {
	f := reflect.ValueOf(construct)
	var in []reflect.Value
	for i := 0; i < f.Type().NumIn(); i++ {
		wanted := f.Type().In(i)
		value := reflect.Value{}
		for _, have := range []interface{}{c.client, background(), flowcontrol.NewBackOff(time.Second, time.Minute)} {
			if have != nil && reflect.TypeOf(have).AssignableTo(wanted) {
				value = reflect.ValueOf(have)
			}
		}
		if listed(wanted) != nil {
			value = c.find(func(informer reflect.Value) bool { return informer.Type() == wanted })
		}
		if !value.IsValid() {
			return value, fmt.Errorf("%v wants %v", f.Type(), wanted)
		}
		in = append(in, value)
	}
	out := f.Call(in)
	if len(out) == 2 && !out[1].IsNil() {
		return out[0], out[1].Interface().(error)
	}
	return out[0], nil
}
