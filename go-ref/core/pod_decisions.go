package main

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// podRuntime is the part of a kubelet that brings a Pod's containers to what the
// Pod says.
type podRuntime struct {
	// hasher is the hash that it compares with the recorded one.
	hasher func() *containerHasher
	// hasherWithoutResources is the other one that it compares, or gives nil.
	hasherWithoutResources func() *containerHasher
	// decide asks the real functions. The pod is the kubelet's own; every hash
	// in the status is a number.
	decide func(pod interface{}, status *podStatus, probes map[string]probeResults) (*podDecision, error)
}

// podStatus is what a runtime tells about a Pod; sandboxes and containers stand
// in the order in which the kubelet has them, the newest first.
type podStatus struct {
	IPs        []string          `json:"ips"`
	Sandboxes  []sandboxStatus   `json:"sandboxes"`
	Containers []containerStatus `json:"containers"`
	// Actuated are the resources that the kubelet applied to the Pod.
	Actuated *json.RawMessage `json:"actuated"`
	// RestartAllContainers says that the kubelet is about to restart all of them.
	RestartAllContainers bool `json:"restartAllContainers"`
	// Infra is dockertools' infra container.
	Infra *infraStatus `json:"infra"`
}

type sandboxStatus struct {
	ID        string   `json:"id"`
	Attempt   uint64   `json:"attempt"`
	State     string   `json:"state"`
	CreatedAt int64    `json:"createdAt"`
	IPs       []string `json:"ips"`
	Network   string   `json:"network"`
}

type containerStatus struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Sandbox is the sandbox that the container is in; empty is the newest.
	Sandbox              string            `json:"sandbox"`
	State                string            `json:"state"`
	CreatedAt            int64             `json:"createdAt"`
	StartedAt            int64             `json:"startedAt"`
	FinishedAt           int64             `json:"finishedAt"`
	ExitCode             int64             `json:"exitCode"`
	Reason               string            `json:"reason"`
	Image                string            `json:"image"`
	ImageID              string            `json:"imageID"`
	RestartCount         int64             `json:"restartCount"`
	Hash                 recordedHash      `json:"hash"`
	HashWithoutResources recordedHash      `json:"hashWithoutResources"`
	Resources            *runtimeResources `json:"resources"`
	Actuated             *json.RawMessage  `json:"actuated"`
}

// infraStatus is the container that holds a Pod's network namespace.
type infraStatus struct {
	ID      string       `json:"id"`
	State   string       `json:"state"`
	Image   string       `json:"image"`
	Network string       `json:"network"`
	Hash    recordedHash `json:"hash"`
}

// runtimeResources are quantities as the runtime reports them.
type runtimeResources struct {
	CPURequest    string `json:"cpuRequest"`
	CPULimit      string `json:"cpuLimit"`
	MemoryRequest string `json:"memoryRequest"`
	MemoryLimit   string `json:"memoryLimit"`
}

// probeResults are the last results of a container's probes: success, failure or
// unknown; nothing was probed where nothing is said.
type probeResults struct {
	Liveness  string `json:"liveness"`
	Readiness string `json:"readiness"`
	Startup   string `json:"startup"`
}

// recordedHash is a number, or what stands for one: "same" as the release's own
// function gives for the Pod's container of that name, or "changed", another one.
type recordedHash struct {
	number uint64
	word   string
}

func (h *recordedHash) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		if err := json.Unmarshal(data, &h.word); err != nil {
			return err
		}
		if h.word != "same" && h.word != "changed" {
			return fmt.Errorf("a hash is a number, \"same\" or \"changed\", not %s", data)
		}
		return nil
	}
	return json.Unmarshal(data, &h.number)
}

// resolve makes a number of a word, given the hash of today.
func (h *recordedHash) resolve(today func() (uint64, error)) error {
	if h.word == "" {
		return nil
	}
	number, err := today()
	if err != nil {
		return err
	}
	if h.word == "changed" {
		number++
	}
	h.number, h.word = number, ""
	return nil
}

// podDecision is what a kubelet would do for a Pod, and what it decides it by.
type podDecision struct {
	// Actions are the fields of the kubelet's own struct.
	Actions    map[string]interface{} `json:"actions"`
	Containers []comparedContainer    `json:"containers,omitempty"`
	Sandbox    *comparedSandbox       `json:"sandbox,omitempty"`
	Init       *initProgress          `json:"init,omitempty"`
}

// initProgress is how far a Pod's init containers are, in releases that ask when the
// rest is decided: which one is to be started next, whose failure makes it so, and
// whether all are done.
type initProgress struct {
	Next   *string `json:"next"`
	Failed *string `json:"failed,omitempty"`
	Done   bool    `json:"done"`
}

// comparedContainer is what containerChanged says.
type comparedContainer struct {
	Name     string `json:"name"`
	Hash     uint64 `json:"hash"`
	Recorded uint64 `json:"recorded"`
	Changed  bool   `json:"changed"`
}

// comparedSandbox is what PodSandboxChanged says.
type comparedSandbox struct {
	Changed   bool   `json:"changed"`
	Attempt   uint64 `json:"attempt"`
	SandboxID string `json:"sandboxID"`
	Reason    string `json:"reason,omitempty"`
}

// killedContainer is one that a kubelet kills.
type killedContainer struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Message string `json:"message"`
	Reason  string `json:"reason,omitempty"`
}

type byName []killedContainer

func (s byName) Len() int      { return len(s) }
func (s byName) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s byName) Less(i, j int) bool {
	if s[i].Name != s[j].Name {
		return s[i].Name < s[j].Name
	}
	return s[i].ID < s[j].ID
}

func answerPodActions(runtime *podRuntime, r *request, a *answer) error {
	pod, err := r.podAtKubelet()
	if err != nil {
		return err
	}
	status := &podStatus{}
	if len(r.Status) > 0 {
		if err := json.Unmarshal(r.Status, status); err != nil {
			return fmt.Errorf("status: %v", err)
		}
	}
	for i := range status.Containers {
		c := &status.Containers[i]
		if err := c.Hash.resolve(hashToday(runtime.hasher, pod, c.Name)); err != nil {
			return err
		}
		if err := c.HashWithoutResources.resolve(hashToday(runtime.hasherWithoutResources, pod, c.Name)); err != nil {
			return err
		}
	}
	decision, err := runtime.decide(pod, status, r.Probes)
	if err != nil {
		return err
	}
	if err := a.put("actions", decision.Actions); err != nil {
		return err
	}
	if decision.Containers != nil {
		a.put("containers", decision.Containers)
	}
	if decision.Sandbox != nil {
		a.put("sandbox", decision.Sandbox)
	}
	if decision.Init != nil {
		a.put("init", decision.Init)
	}
	return nil
}

// hashToday is the release's hash of the Pod's container of that name.
func hashToday(hasher func() *containerHasher, pod interface{}, name string) func() (uint64, error) {
	return func() (uint64, error) {
		if hasher == nil || hasher() == nil {
			return 0, nil // nobody compares it
		}
		if container := containerNamed(podSpecOf(pod), name); container.IsValid() {
			return hasher().sum(container.Interface()), nil
		}
		return 0, fmt.Errorf("the Pod has no container %s to hash", name)
	}
}

// containerNamed is a pointer to the container of that name, of whatever kind.
func containerNamed(spec reflect.Value, name string) reflect.Value {
	for _, list := range []string{"InitContainers", "Containers", "EphemeralContainers"} {
		containers := spec.FieldByName(list)
		if !containers.IsValid() {
			continue
		}
		for i := 0; i < containers.Len(); i++ {
			if container := asContainer(containers.Index(i), spec); container.Elem().FieldByName("Name").String() == name {
				return container
			}
		}
	}
	return reflect.Value{}
}

// podAtKubelet is the Pod of the request's view as the kubelet's runtime gets it.
// Its status is that of the object: an API server keeps none of a new Pod, but a
// kubelet has written one since.
func (r *request) podAtKubelet() (interface{}, error) {
	if isPod, err := r.isPod(); err != nil {
		return nil, err
	} else if !isPod && !r.isBareContainer() {
		return nil, skipped("a kubelet has Pods only")
	}
	if r.View == "served" {
		return r.served()
	}
	pod, err := r.viewed()
	if err != nil {
		return nil, err
	}
	if kube.hashesInternal && r.View != "static" {
		if pod, err = kube.toInternal(pod); err != nil {
			return nil, err
		}
	}
	var top map[string]*json.RawMessage
	if json.Unmarshal(r.Object, &top); top["status"] == nil || r.View == "decoded" {
		return pod, nil
	}
	served, err := r.served()
	if err != nil {
		return nil, err
	}
	reflect.ValueOf(pod).Elem().FieldByName("Status").Set(reflect.ValueOf(served).Elem().FieldByName("Status"))
	return pod, nil
}

// served is the request's Pod as a kubelet gets it from an API server that has
// persisted it as it stands.
func (r *request) served() (interface{}, error) {
	pod, err := r.decode()
	if err != nil {
		return nil, err
	}
	if pod, err = serve(pod); err != nil {
		return nil, err
	}
	if pod, err = receive(pod); err != nil || !kube.hashesInternal {
		return pod, err
	}
	return kube.toInternal(pod)
}
