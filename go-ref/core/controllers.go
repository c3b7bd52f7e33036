package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
)

// templateHasher is the function that makes the value of the label
// pod-template-hash, and of controller-revision-hash on DaemonSets' Pods.
type templateHasher struct {
	// internal says that it takes the internal template (1.1 to 1.5).
	internal bool
	// counts says that it takes a collision count (from 1.7).
	counts bool
	// label is the real function, its result written as the controller writes
	// it into the label. template is a pointer to the release's struct.
	label func(template interface{}, collisionCount *int64) string
	// hashed is the value that the real function gives to DeepHashObject.
	hashed func(template interface{}) interface{}
	// tail is what the real function writes into the hasher after it.
	tail func(collisionCount int64) []byte
	// check is the label that a preimage gives.
	check func(preimage []byte) string
}

// answerTemplateHash hashes the Pod template of a workload or a PodTemplate.
func answerTemplateHash(r *request, a *answer) error {
	h := kube.templateHash
	obj, err := r.asControllerSees()
	if err != nil {
		return err
	}
	if h.internal {
		if obj, err = kube.toInternal(obj); err != nil {
			return err
		}
	}
	template, _ := podTemplateOf(obj)
	if !template.IsValid() {
		return fmt.Errorf("%T has no Pod template", obj)
	}
	pointer := template.Addr().Interface()
	counts := r.CollisionCounts
	if counts == nil {
		counts = []*int64{nil}
	}
	labels := make([]*string, len(counts))
	preimages := make([]string, len(counts))
	for i, count := range counts {
		if count != nil && !h.counts {
			continue // no such label
		}
		label := h.label(pointer, count)
		labels[i] = &label
		if !r.Preimage {
			continue
		}
		text := recordDeepHash(h.hashed(pointer))
		if count != nil {
			text = append(text, h.tail(*count)...)
		}
		if got := h.check(text); got != label {
			return fmt.Errorf("the recorded preimage has the label %s, the real function says %s", got, label)
		}
		preimages[i] = string(text)
	}
	if r.Preimage {
		if err := a.put("preimages", preimages); err != nil {
			return err
		}
	}
	return a.put("labels", labels)
}

// asControllerSees is the object after the operations of its view, in the
// version in which the controller of its kind watches it. The view "served"
// is of an object that some release persisted.
func (r *request) asControllerSees() (interface{}, error) {
	obj, err := r.decode()
	if err != nil {
		return nil, err
	}
	switch r.View {
	case "decoded":
		return obj, nil
	case "", "delivered":
		if obj, err = create(obj, false); err != nil {
			return nil, err
		}
	case "served":
	default:
		return nil, fmt.Errorf("no such view: %s", r.View)
	}
	apiVersion := apiVersionOf(obj)
	if kube.controllerVersion != nil {
		if v := kube.controllerVersion(kindOf(obj)); v != "" {
			apiVersion = v
		}
	}
	if obj, err = serveAs(obj, apiVersion); err != nil {
		return nil, err
	}
	return receive(obj)
}

// kindOf reads the embedded TypeMeta.
func kindOf(versioned interface{}) string {
	return reflect.ValueOf(versioned).Elem().FieldByName("Kind").String()
}

// revision is a ControllerRevision.
type revision struct {
	Name     string            `json:"name"`
	Revision int64             `json:"revision"`
	Labels   map[string]string `json:"labels,omitempty"`
	Data     string            `json:"data"`
}

// podState is a Pod of a workload. Where a controller leaves the end of the name
// to the API server, the Pod's node stands there.
type podState struct {
	Name   string            `json:"name"`
	Node   string            `json:"node,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
}

// replicaSet is what a Deployment's controller made. Template is a pointer since
// json.RawMessage as a value is written as base64 before go1.8.
type replicaSet struct {
	Name     string            `json:"name"`
	Replicas int64             `json:"replicas"`
	Labels   map[string]string `json:"labels,omitempty"`
	Template *json.RawMessage  `json:"template"`
}

// state is what a controller made of a workload, in the order of names. Given
// with a request, it is what the controller of some release left behind: Pods are
// made of the workload's own template, Running and Ready for years, ReplicaSets
// are served by the release.
type state struct {
	Revisions   []revision   `json:"revisions,omitempty"`
	ReplicaSets []replicaSet `json:"replicaSets,omitempty"`
	Pods        []podState   `json:"pods,omitempty"`
	// Replaced are Pods that were there before, and are there no more.
	Replaced []string `json:"replaced,omitempty"`
	// The rest is from the workload's status.
	CollisionCount  *int64 `json:"collisionCount,omitempty"`
	CurrentRevision string `json:"currentRevision,omitempty"`
	UpdateRevision  string `json:"updateRevision,omitempty"`
}

// order puts the lists in the order of names.
func (s *state) order() {
	sort.Sort(named{len(s.Revisions),
		func(i int) string { return s.Revisions[i].Name },
		func(i, j int) { s.Revisions[i], s.Revisions[j] = s.Revisions[j], s.Revisions[i] }})
	sort.Sort(named{len(s.ReplicaSets),
		func(i int) string { return s.ReplicaSets[i].Name },
		func(i, j int) { s.ReplicaSets[i], s.ReplicaSets[j] = s.ReplicaSets[j], s.ReplicaSets[i] }})
	sort.Sort(named{len(s.Pods),
		func(i int) string { return s.Pods[i].Name },
		func(i, j int) { s.Pods[i], s.Pods[j] = s.Pods[j], s.Pods[i] }})
	sort.Strings(s.Replaced)
}

// named sorts anything by names.
type named struct {
	n    int
	name func(i int) string
	swap func(i, j int)
}

func (s named) Len() int           { return s.n }
func (s named) Less(i, j int) bool { return s.name(i) < s.name(j) }
func (s named) Swap(i, j int)      { s.swap(i, j) }

// answerReconcile lets the real controller of the workload's kind work until
// it has nothing more to do; and again after each workload that takes the place
// of the one before.
func answerReconcile(r *request, a *answer) error {
	now := &state{CollisionCount: r.CollisionCount}
	if len(r.State) > 0 {
		if err := json.Unmarshal(r.State, now); err != nil {
			return fmt.Errorf("state: %v", err)
		}
	}
	for _, object := range append([]json.RawMessage{r.Object}, r.Then...) {
		step := *r
		step.Object = object
		workload, err := step.asControllerSees()
		if err != nil {
			return err
		}
		if now, err = kube.reconcile(workload, now); err != nil {
			return err
		}
	}
	return a.put("state", now)
}
