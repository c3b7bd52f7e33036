package main

import "strings"

// The part of the rule that is knowledge about packages and not about Go. Each
// line has its reason.

// cut is an exception to "what is mentioned counts".
type cut struct {
	path   string // an import path; with "/..." its subpackages, too
	reason string
}

// opaquePackages are not looked into: what they do reaches no answer.
var opaquePackages = []cut{
	{"k8s.io/klog/...", "logging: writes to stderr"},
	{"github.com/golang/glog", "logging: writes to stderr"},
	{"github.com/go-logr/...", "logging: writes to stderr"},
	{"k8s.io/component-base/logs/...", "logging: writes to stderr"},
	{"go.uber.org/zap/...", "logging: writes to stderr"},
	{"k8s.io/component-base/metrics/...", "metrics: counted, and read by a scrape only"},
	{"github.com/prometheus/...", "metrics: counted, and read by a scrape only"},
	{"go.opentelemetry.io/...", "tracing: sent to a collector only"},
	{"k8s.io/component-base/tracing/...", "tracing: sent to a collector only"},
	{"k8s.io/utils/trace", "tracing: logged when slow"},
	{"k8s.io/kube-scheduler/...", "the scheduler's configuration, in a scheme of its own: a kubelet links it"},
	{"k8s.io/kubernetes/pkg/scheduler/apis/config/...", "the scheduler's configuration, in a scheme of its own: a kubelet links it"},
}

// opaque is the reason why a package is not looked into, or nothing.
func opaque(path string) string {
	for _, cut := range opaquePackages {
		if within(path, cut.path) {
			return cut.reason
		}
	}
	return ""
}

func within(path, pattern string) bool {
	if prefix := strings.TrimSuffix(pattern, "/..."); prefix != pattern {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	return path == pattern
}

// inertPackages have functions that change nothing: a variable made by one of
// them counts where it is mentioned, and not for being initialised.
var inertPackages = []cut{
	{"k8s.io/apimachinery/pkg/util/sets", "makes sets"},
	{"k8s.io/kubernetes/pkg/util/sets", "makes sets"},
	{"k8s.io/utils/set", "makes sets"},
	{"k8s.io/utils/ptr", "makes pointers"},
	{"k8s.io/utils/pointer", "makes pointers"},
}

// inert says whether calls of a package's functions have no effect.
func inert(path string) bool {
	for _, cut := range inertPackages {
		if within(path, cut.path) {
			return true
		}
	}
	return false
}

// state is something global that subjects consult and that an init function of a
// package which they otherwise do not use can change.
type state struct {
	path   string
	names  []string // empty: all of the package
	reason string
}

var states = []state{
	{"k8s.io/kubernetes/pkg/api/legacyscheme", nil, "the scheme that decodes, defaults and converts"},
	{"k8s.io/kubernetes/pkg/api", []string{"Scheme", "Codecs", "Codec", "ParameterCodec", "Registry", "GroupFactoryRegistry", "RegisterRESTMapper"}, "the scheme until 1.8"},
	{"k8s.io/kubernetes/pkg/api/registered", nil, "the versions that 1.1 encodes and decodes"},
	{"k8s.io/kubernetes/pkg/api/latest", nil, "the versions that 1.1 encodes and decodes"},
	{"k8s.io/kubernetes/pkg/apimachinery/registered", nil, "the versions that codecs and mappers know"},
	{"k8s.io/kubernetes/pkg/apimachinery/announced", nil, "the versions that codecs and mappers know"},
	{"k8s.io/apiserver/pkg/util/feature", nil, "the gates that strategies and admission consult"},
	{"k8s.io/kubernetes/pkg/util/config", []string{"DefaultFeatureGate"}, "the gates until 1.5"},
	{"k8s.io/kubernetes/pkg/util/feature", nil, "the gates in 1.5"},
	{"k8s.io/client-go/features", []string{"AddFeaturesToExistingFeatureGates", "ReplaceFeatureGates"}, "the gates that informers consult"},
	{"k8s.io/kubernetes/pkg/capabilities", []string{"Initialize", "Setup", "SetForTests"}, "the capabilities of a kubelet"},
	{"k8s.io/apimachinery/pkg/util/runtime", []string{"ErrorHandlers", "PanicHandlers", "ReallyCrash"}, "what happens to a panic"},
	{"k8s.io/kubernetes/pkg/util/runtime", []string{"ErrorHandlers", "PanicHandlers", "ReallyCrash"}, "what happens to a panic"},
	{"github.com/json-iterator/go", []string{"RegisterExtension", "RegisterTypeDecoder", "RegisterTypeDecoderFunc", "RegisterTypeEncoder", "RegisterTypeEncoderFunc", "RegisterFieldDecoder", "RegisterFieldDecoderFunc", "RegisterFieldEncoder", "RegisterFieldEncoderFunc", "ConfigDefault", "ConfigCompatibleWithStandardLibrary"}, "how types are read and written"},
	{"github.com/ugorji/go/codec", []string{"GenVersion", "NewJsonHandle"}, "how types are read and written"},
	{"github.com/davecgh/go-spew/spew", []string{"Config"}, "how values are dumped"},
}

// isState says whether a declaration is one of the states.
func isState(path, name string) bool {
	for _, state := range states {
		if state.path != path {
			continue
		}
		if len(state.names) == 0 {
			return true
		}
		for _, known := range state.names {
			if known == name {
				return true
			}
		}
	}
	return false
}

// calledOnly are methods that nobody hands around as a value, so that x.name
// without a call is a field of something else.
var calledOnly = []struct{ method, reason string }{
	{"k8s.io/client-go/informers.sharedInformerFactory.Start", "informers are started by calls; protobuf's ranges have a field Start"},
	{"k8s.io/client-go/informers.sharedInformerFactory.StartWithContext", "informers are started by calls"},
	{"k8s.io/client-go/tools/cache.sharedIndexInformer.Run", "informers are run by calls"},
	{"k8s.io/client-go/tools/cache.sharedIndexInformer.RunWithContext", "informers are run by calls"},
}

// isCalledOnly says whether a method counts for calls only.
func isCalledOnly(method *node) bool {
	for _, known := range calledOnly {
		if known.method == method.String() {
			return true
		}
	}
	return false
}

// withoutInfluence says why a declaration that is mentioned does not count, or
// nothing.
func withoutInfluence(n *node) string {
	if n.kind == kindVar && strings.HasPrefix(n.name, "fileDescriptor") && strings.HasSuffix(n.file.name, ".pb.go") {
		return "a compressed file descriptor, which is registered and never read"
	}
	return ""
}
