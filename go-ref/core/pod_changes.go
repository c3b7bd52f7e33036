package main

import (
	"encoding/json"
	"fmt"
)

// podUpdater is what an API server does with a Pod that replaces another one, up to
// the point where it would be persisted. The Pods are internal ones; the new one is
// the server's to change. The subresource is empty for the Pod itself.
type podUpdater func(subresource string, pod, old interface{}) ([]updateError, error)

// updateError is an error of a field. The detail ends with its first line: what
// may follow is a comparison, which no two runs print alike.
type updateError struct {
	Field  string `json:"field"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// answerPodUpdate asks the strategy whether the object may replace the old one.
// In the view "delivered" both were created, so that they differ where their
// authors made them differ; in "served" they stand as they are.
func answerPodUpdate(r *request, a *answer) error {
	changed, err := r.atServer()
	if err != nil {
		return err
	}
	before := *r
	before.Object = r.Old
	old, err := before.atServer()
	if err != nil {
		return fmt.Errorf("old: %v", err)
	}
	found, err := kube.updatePod(r.Subresource, changed, old)
	if err != nil {
		return err
	}
	for i := range found {
		found[i].Detail = firstLine(found[i].Detail)
	}
	if err := a.put("errors", found); err != nil {
		return err
	}
	// What the strategy leaves of the change: a subresource has a say in its part only.
	persisted, err := kube.toVersioned(changed, "v1")
	if err != nil {
		return err
	}
	if persisted, err = kube.roundTrip(persisted); err != nil {
		return err
	}
	data, err := json.Marshal(persisted)
	if err != nil {
		return err
	}
	a.raw("object", data)
	return nil
}

func firstLine(text string) string {
	for i := range text {
		if text[i] == '\n' {
			return text[:i]
		}
	}
	return text
}

// atServer is the request's Pod as the API server's own, internal one.
func (r *request) atServer() (interface{}, error) {
	pod, err := r.decode()
	if err != nil {
		return nil, err
	}
	if isPod, err := r.isPod(); err != nil {
		return nil, err
	} else if !isPod && !r.isBareContainer() {
		return nil, skipped("only Pods are told apart")
	}
	switch r.View {
	case "", "delivered":
		if pod, err = create(pod, false); err != nil {
			return nil, err
		}
	case "served":
	default:
		return nil, fmt.Errorf("no such view: %s", r.View)
	}
	if err := setDefaults(pod); err != nil {
		return nil, err
	}
	return kube.toInternal(pod)
}
