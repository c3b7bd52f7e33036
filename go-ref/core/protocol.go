package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
)

// request is one line of stdin.
type request struct {
	ID           string          `json:"id"`
	Subject      string          `json:"subject"`
	Release      string          `json:"release"`
	View         string          `json:"view"`
	Form         string          `json:"form"`
	FeatureGates map[string]bool `json:"featureGates"`
	Object       json.RawMessage `json:"object"`
	Text         string          `json:"text"`
	File         string          `json:"file"`
	Node         string          `json:"node"`
	Preimage     bool            `json:"preimage"`
	Seed         int64           `json:"seed"`
	Count        int             `json:"count"`
	MaxBytes     int             `json:"maxBytes"`

	URL             string          `json:"url"`
	CollisionCount  *int64          `json:"collisionCount"`
	CollisionCounts []*int64        `json:"collisionCounts"`
	State           json.RawMessage `json:"state"`

	Then       []json.RawMessage `json:"then"`
	Containers []knownContainer  `json:"containers"`
	Texts      []string          `json:"texts"`
	InfraImage string            `json:"infraImage"`

	Status json.RawMessage         `json:"status"`
	Probes map[string]probeResults `json:"probes"`

	Old         json.RawMessage `json:"old"`
	Subresource string          `json:"subresource"`
}

// knownContainer is a container that a kubelet knows when it starts.
type knownContainer struct {
	ID     string `json:"id"`
	PodUID string `json:"podUID"`
	Name   string `json:"name"`
}

// skipped is the error that becomes {"skipped": …} and not {"error": …}.
type skipped string

func (s skipped) Error() string { return string(s) }

// answer is one line of stdout, written by hand because the bytes of an object
// must be those json.Marshal gave, and because json.RawMessage as a value is
// written as base64 before go1.8.
type answer struct {
	buf bytes.Buffer
}

func (a *answer) raw(key string, value []byte) {
	if a.buf.Len() == 0 {
		a.buf.WriteByte('{')
	} else {
		a.buf.WriteByte(',')
	}
	a.buf.WriteByte('"')
	a.buf.WriteString(key)
	a.buf.WriteString(`":`)
	a.buf.Write(value)
}

func (a *answer) put(key string, value interface{}) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	a.raw(key, data)
	return nil
}

func (a *answer) line() []byte {
	a.buf.WriteString("}\n")
	return a.buf.Bytes()
}

// respond answers one line; whatever goes wrong becomes an answer too.
func respond(line []byte) []byte {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return failure(r.ID, fmt.Errorf("not a request: %v", err))
	}
	a := &answer{}
	a.put("id", r.ID)
	if err := run(&r, a); err != nil {
		return failure(r.ID, err)
	}
	return a.line()
}

func failure(id string, err error) []byte {
	a := &answer{}
	a.put("id", id)
	if s, ok := err.(skipped); ok {
		a.put("skipped", string(s))
	} else {
		a.put("error", err.Error())
	}
	return a.line()
}

// run checks the request, sets the feature gates for its time and turns a panic
// of Kubernetes' code into an error.
func run(r *request, a *answer) (err error) {
	if r.Release != "" && r.Release != releaseName {
		return skipped("this reference speaks for " + releaseName + " only")
	}
	subject, ok := subjects[r.Subject]
	if !ok {
		return skipped("no such subject: " + r.Subject)
	}
	if why := subject.missing(); why != "" {
		return skipped(why + " in " + releaseName)
	}
	if len(r.FeatureGates) > 0 {
		if kube.setFeatureGates == nil {
			return skipped("no feature gates in " + releaseName)
		}
		restore, err := kube.setFeatureGates(r.FeatureGates)
		if err != nil {
			return err
		}
		defer restore()
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return subject.answer(r, a)
}

// subject is one value of a request's field of that name.
type subject struct {
	// missing says what the release lacks for it, or nothing.
	missing func() string
	answer  func(*request, *answer) error
}

var subjects map[string]subject

func init() {
	always := func() string { return "" }
	needs := func(has func() bool, what string) func() string {
		return func() string {
			if has() {
				return ""
			}
			return "no " + what
		}
	}
	hashOf := func(which func() *containerHasher) subject {
		return subject{
			needs(func() bool { return which() != nil }, "such container hash"),
			func(r *request, a *answer) error { return answerContainers(which(), r, a) },
		}
	}
	actionsOf := func(which func() *podRuntime) subject {
		return subject{
			needs(func() bool { return which() != nil }, "such runtime manager"),
			func(r *request, a *answer) error { return answerPodActions(which(), r, a) },
		}
	}
	object := func(operation func(*request) (interface{}, error)) subject {
		return subject{always, func(r *request, a *answer) error { return answerObject(operation, r, a) }}
	}
	subjects = map[string]subject{
		"container-hash":                   hashOf(func() *containerHasher { return kube.containerHash }),
		"container-hash-legacy":            hashOf(func() *containerHasher { return kube.containerHashLegacy }),
		"container-hash-without-resources": hashOf(func() *containerHasher { return kube.containerHashWithoutResources }),
		"deep-hash":                        {always, answerDeepHash},
		"yaml-to-json":                     {needs(func() bool { return kube.yamlToJSON != nil }, "YAML"), answerYAML},
		"defaults":                         {needs(func() bool { return kube.setDefaults != nil }, "Scheme.Default"), func(r *request, a *answer) error { return answerObject(opDefaults, r, a) }},
		"create":                           object(opCreate),
		"serve":                            object(opServe),
		"receive":                          object(opReceive),
		"read-file":                        object(opReadFile),
		"pod-template-hash":                {needs(func() bool { return kube.templateHash != nil }, "hash of Pod templates"), answerTemplateHash},
		"reconcile":                        {needs(func() bool { return kube.reconcile != nil }, "such controllers"), answerReconcile},
		"checkpoint":                       {needs(func() bool { return len(checkpoints()) > 0 }, "checkpoints with a checksum"), answerCheckpoint},
		"infra-container-hash":             {needs(func() bool { return kube.infraContainer != nil }, "infra container that is hashed"), answerInfraContainer},
		"static-pod-equal":                 {needs(func() bool { return kube.staticPods != nil }, "comparison of manifests"), answerStaticPods},
		"endpoints-hash":                   {needs(func() bool { return kube.endpointsDigest != nil }, "hashes of Endpoints"), answerEndpoints},
		"pod-actions":                      actionsOf(func() *podRuntime { return kube.podActions }),
		"pod-actions-docker":               actionsOf(func() *podRuntime { return kube.podActionsDocker }),
		"pod-update":                       {needs(func() bool { return kube.updatePod != nil }, "strategy of Pods"), answerPodUpdate},
		"schema":                           {always, answerSchema},
		"info":                             {always, answerInfo},
		"container-hash-timing":            {needs(func() bool { return kube.containerHash != nil }, "such container hash"), answerTiming},
		"random":                           {needs(func() bool { return kube.randomPod != nil }, "random objects"), answerRandom},
	}
}

func answerInfo(r *request, a *answer) error {
	names := []string{}
	for name, s := range subjects {
		if s.missing() == "" {
			names = append(names, name)
		}
	}
	sortStrings(names)
	a.put("release", releaseName)
	a.put("toolchain", runtime.Version())
	return a.put("subjects", names)
}

func answerYAML(r *request, a *answer) error {
	data, err := kube.yamlToJSON([]byte(r.Text))
	if err != nil {
		return err
	}
	return a.put("json", string(data))
}
