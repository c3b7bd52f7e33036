package main

import (
	"fmt"
	"reflect"
)

// containerAnswer is one element of a container hash's answer.
type containerAnswer struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Hash     uint64 `json:"hash"`
	Preimage string `json:"preimage,omitempty"`
}

// answerContainers hashes the containers of a Pod, or of the Pod that a
// workload's controller would create: init containers, containers, ephemeral
// containers, each in the order of the spec.
func answerContainers(hasher *containerHasher, r *request, a *answer) error {
	spec, err := r.containersPodSpec()
	if err != nil {
		return err
	}
	list := []containerAnswer{}
	for _, field := range []struct{ name, kind string }{
		{"InitContainers", "init"},
		{"Containers", "container"},
		{"EphemeralContainers", "ephemeral"},
	} {
		containers := spec.FieldByName(field.name)
		if !containers.IsValid() {
			continue
		}
		for i := 0; i < containers.Len(); i++ {
			container := asContainer(containers.Index(i), spec)
			c := containerAnswer{
				Name: container.Elem().FieldByName("Name").String(),
				Type: field.kind,
				Hash: hasher.sum(container.Interface()),
			}
			if r.Preimage {
				if c.Preimage, err = hasher.preimage(container.Interface(), c.Hash); err != nil {
					return err
				}
			}
			list = append(list, c)
		}
	}
	if err := a.put("containers", list); err != nil {
		return err
	}
	if len(list) == 1 {
		a.put("hash", list[0].Hash)
		if r.Preimage {
			a.put("preimage", list[0].Preimage)
		}
	}
	return nil
}

func (h *containerHasher) preimage(container interface{}, want uint64) (string, error) {
	value, err := h.hashed(container)
	if err != nil {
		return "", err
	}
	text := recordDeepHash(value)
	d := h.digest()
	d.Write(text)
	if uint64(d.Sum32()) != want {
		return "", fmt.Errorf("the recorded preimage has the hash %d, the real function says %d", d.Sum32(), want)
	}
	return string(text), nil
}

// asContainer makes a pointer to a container out of an element of one of the
// lists. The kubelet, too, converts an ephemeral container's common part, whose
// fields are those of a container.
func asContainer(element, spec reflect.Value) reflect.Value {
	if common := element.FieldByName("EphemeralContainerCommon"); common.IsValid() {
		return common.Addr().Convert(reflect.PtrTo(spec.FieldByName("Containers").Type().Elem()))
	}
	return element.Addr()
}

// containersPodSpec is the PodSpec whose containers the view shows.
func (r *request) containersPodSpec() (reflect.Value, error) {
	var none reflect.Value
	obj, err := r.viewed()
	if err != nil {
		return none, err
	}
	spec := podSpecOf(obj)
	if spec.IsValid() {
		if kube.hashesInternal && r.View != "static" {
			if obj, err = kube.toInternal(obj); err != nil {
				return none, err
			}
			spec = podSpecOf(obj)
		}
		return spec, nil
	}
	if r.View == "decoded" {
		if kube.hashesInternal {
			if obj, err = kube.toInternal(obj); err != nil {
				return none, err
			}
		}
		template, _ := podTemplateOf(obj)
		if !template.IsValid() {
			return none, fmt.Errorf("%T has no Pod template", obj)
		}
		return template.FieldByName("Spec"), nil
	}
	template, indexed := podTemplateOf(obj)
	if !template.IsValid() {
		return none, fmt.Errorf("%T has no Pod template", obj)
	}
	pod, err := kube.podFromTemplate(obj, template.Addr().Interface(), indexed)
	if err != nil {
		return none, err
	}
	if pod, err = deliver(pod, true); err != nil {
		return none, err
	}
	if kube.hashesInternal {
		if pod, err = kube.toInternal(pod); err != nil {
			return none, err
		}
	}
	return podSpecOf(pod), nil
}

// podSpecOf is the spec of a Pod, the zero Value for anything else.
func podSpecOf(obj interface{}) reflect.Value {
	spec := reflect.ValueOf(obj).Elem().FieldByName("Spec")
	if spec.IsValid() && spec.Kind() == reflect.Struct && spec.FieldByName("Containers").IsValid() {
		return spec
	}
	return reflect.Value{}
}

// podTemplateOf finds the Pod template of a workload, the zero Value if there
// is none, and says whether the template's Job has completion mode Indexed.
func podTemplateOf(obj interface{}) (template reflect.Value, indexed bool) {
	top := reflect.ValueOf(obj).Elem()
	if t := top.FieldByName("Template"); t.IsValid() {
		return t, false // PodTemplate
	}
	spec := top.FieldByName("Spec")
	if !spec.IsValid() {
		return reflect.Value{}, false
	}
	if job := spec.FieldByName("JobTemplate"); job.IsValid() {
		spec = job.FieldByName("Spec") // CronJob, ScheduledJob
	}
	template = spec.FieldByName("Template")
	if template.IsValid() && template.Kind() == reflect.Ptr {
		template = template.Elem() // ReplicationController; nil becomes the zero Value
	}
	if mode := spec.FieldByName("CompletionMode"); mode.IsValid() && !mode.IsNil() {
		indexed = mode.Elem().String() == "Indexed"
	}
	return template, indexed
}
