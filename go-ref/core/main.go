// A reference: the real functions of one Kubernetes release behind the
// conformance protocol. JSON Lines come in on stdin, one answer a line goes out
// on stdout, in order; words go to stderr.
//
// The files of this directory are the core. They are the same for every release
// from 1.1 to 1.37, so they import nothing of Kubernetes and compile with every
// toolchain from go1.4 to go1.26: no generics, no embed, no context, no
// sort.Slice, no strings.Builder. What differs between releases lives in the
// shims (../shims), small files of the same package that releases.json selects.
//
// The contract between the two is the struct hooks below. A shim fills the one
// variable kube from its init functions; a hook left nil means that the release
// has no such thing, and requests for it are answered with "skipped". An object
// is always a pointer to the release's own Go struct, carried as interface{}.
package main

import (
	"bufio"
	"fmt"
	"hash"
	"io"
	"os"
	"reflect"
	"time"
)

// hooks is what a release gives to the core.
type hooks struct {
	// decode is the release's JSON serializer as its API server uses it: the
	// versioned object that apiVersion and kind name; no defaults, not strict.
	decode func(data []byte) (interface{}, error)

	// setDefaults is Scheme.Default, in place. It came with 1.5; before, the
	// conversion to the internal version gave the defaults.
	setDefaults func(versioned interface{}) error

	// toInternal and toVersioned are the scheme's conversions. toVersioned sets
	// apiVersion and kind of its result.
	toInternal  func(versioned interface{}) (interface{}, error)
	toVersioned func(internal interface{}, apiVersion string) (interface{}, error)

	// prepareForCreate is the registry strategy's method of that name for the
	// kind of the internal object, in place.
	prepareForCreate func(internal interface{}) error

	// admitPod adds what the ServiceAccount admission plugin adds to an internal
	// Pod, in place, with the random part of a volume's name set to 00000.
	admitPod func(internal interface{}) error

	// roundTrip is the wire: marshal and unmarshal as between API server, etcd
	// and clients (protobuf; JSON before 1.3). apiVersion and kind survive it.
	roundTrip func(versioned interface{}) (interface{}, error)

	// readFile is what the kubelet makes of a static Pod's manifest before it
	// converts the Pod to v1: the universal decoder, then applyDefaults.
	// Validation, which rejects but never changes a Pod, is left out.
	// The source is a file's path or a URL.
	readFile func(data []byte, source string, isFile bool, node string) (internal interface{}, err error)

	// podFromTemplate makes the v1 Pod a controller would create for the
	// workload: template points to the versioned PodTemplateSpec inside it,
	// indexed says that it is (or makes) a Job of completion mode Indexed.
	podFromTemplate func(workload, template interface{}, indexed bool) (interface{}, error)

	// hashesInternal says that the kubelet hashes containers of the internal
	// Pod (1.1 to 1.5) and not of the v1 Pod.
	hashesInternal bool

	// The container hashes. Each is called with a pointer to a container.
	containerHash                 *containerHasher
	containerHashLegacy           *containerHasher
	containerHashWithoutResources *containerHasher

	// infraContainer is the container that the Docker manager makes for a Pod's
	// network, out of the Pod that it hashes containers of (until 1.6).
	infraContainer func(pod interface{}, image string) (container interface{}, err error)

	// deepHash is DeepHashObject.
	deepHash func(hasher hash.Hash, value interface{})

	// templateHash is the hash that names ReplicaSets and labels their Pods.
	templateHash *templateHasher

	// controllerVersion is the apiVersion in which the controller of a kind
	// watches it; empty if there is none.
	controllerVersion func(kind string) string

	// reconcile lets the real controller of the workload's kind work on a fake
	// API server until nothing changes. The workload is the controller's own.
	reconcile func(workload interface{}, before *state) (after *state, err error)

	// The files with a checksum that the kubelet keeps.
	cpuCheckpoint        *checkpointForm
	memoryCheckpoint     *checkpointForm
	deviceCheckpoint     *checkpointForm
	draCheckpoint        *checkpointForm
	allocationCheckpoint *checkpointForm
	podCheckpoint        *checkpointForm
	sandboxCheckpoint    *checkpointForm

	// Older formats of them, where the release still reads them.
	cpuCheckpointV1, deviceCheckpointV1 func() checkpointFormat

	// staticPods is kubeadm's comparison of manifests.
	staticPods *staticPods

	// staticPodDump lets kubeadm read a manifest and write the dump of its Pod
	// into a hasher; nil where it compares bytes.
	staticPodDump func(path string, hasher hash.Hash) error

	// endpoints and endpointsInternal order Endpoints by hashes; endpointSlices
	// hashes what is in EndpointSlices. All use endpointsDigest.
	endpoints, endpointsInternal *endpointsHasher
	endpointSlices               *slicesHasher
	endpointsDigest              func() hash.Hash
	// podActions is the kubelet's manager of a runtime behind the CRI (from
	// 1.5), podActionsDocker that of Docker itself (to 1.6).
	podActions       *podRuntime
	podActionsDocker *podRuntime

	// updatePod is the registry's part in a Pod's update.
	updatePod podUpdater

	// yamlToJSON is the release's own function for manifests.
	yamlToJSON func(text []byte) ([]byte, error)

	// kinds lists every workload kind in every registered version.
	kinds func() []kind

	// featureGates tells each known gate's value without any override;
	// setFeatureGates overrides some and returns what puts them back.
	featureGates    func() map[string]bool
	setFeatureGates func(values map[string]bool) (restore func(), err error)

	// randomPod makes one v1 Pod with the release's fuzzers. The same seed
	// makes the same Pod.
	randomPod func(seed int64) (interface{}, error)
}

// containerHasher is one of the kubelet's functions over a container.
type containerHasher struct {
	// sum is the real function.
	sum func(container interface{}) uint64
	// hashed is the value that the real function gives to DeepHashObject, so
	// that the preimage can be recorded. The core checks that the preimage's
	// digest is what sum says; it never answers with a preimage that is not.
	hashed func(container interface{}) (interface{}, error)
	// digest makes the hasher the real function uses (fnv.New32a, adler32.New).
	digest func() hash.Hash32
}

// kind is one workload kind in one version. internal is nil where the release
// has no internal form.
type kind struct {
	apiVersion string
	name       string
	versioned  reflect.Type
	internal   reflect.Type
}

// kube is this binary's release. Shims fill it in.
var kube hooks

func main() {
	// A decoded time points to time.Local, whose fields are empty until somebody
	// asks for the zone: dumps would depend on what was asked before. Every
	// kubelet has asked once it wrote its first line of log.
	_ = time.Local.String()

	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			out.Write(respond(line))
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "reading requests:", err)
			os.Exit(1)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "writing answers:", err)
		os.Exit(1)
	}
}
