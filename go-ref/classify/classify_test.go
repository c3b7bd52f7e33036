package main

import (
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// sources are files by "import/path/file.go"; "main/…" is the reference.
type sources map[string]string

// listing writes the sources and lists their packages.
func (s sources) listing(t *testing.T) []*listed {
	t.Helper()
	root := t.TempDir()
	packages := map[string]*listed{}
	for name, text := range s {
		importPath := path.Dir(name)
		p := packages[importPath]
		if p == nil {
			p = &listed{ImportPath: importPath, Dir: filepath.Join(root, importPath)}
			packages[importPath] = p
		}
		if err := os.MkdirAll(p.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.Dir, path.Base(name)), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		switch path.Ext(name) {
		case ".go":
			p.GoFiles = append(p.GoFiles, path.Base(name))
		case ".s":
			p.SFiles = append(p.SFiles, path.Base(name))
		}
	}
	var list []*listed
	for _, p := range packages {
		sort.Strings(p.GoFiles)
		list = append(list, p)
	}
	return list
}

func (s sources) load(t *testing.T) *program {
	t.Helper()
	program, err := load(s.listing(t))
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// follow is the closure of the hook kube.x, whose value is main's function x.
func (s sources) follow(t *testing.T) *closure {
	t.Helper()
	return closureOf(s.load(t), group{Roots: []string{"kube.x"}})
}

// reference is a main package whose hook x is the given function body.
func reference(imports, body string) string {
	return "package main\nimport (\n" + imports + "\n)\nvar kube struct { x func() }\nfunc init() { kube.x = x }\nfunc x() {\n" + body + "\n}\n"
}

func (c *closure) names() map[string]bool {
	names := map[string]bool{}
	for n := range c.reached {
		names[n.String()] = true
	}
	return names
}

func (c *closure) expect(t *testing.T, reached ...string) {
	t.Helper()
	names := c.names()
	for _, name := range reached {
		unwanted := strings.HasPrefix(name, "!")
		name = strings.TrimPrefix(name, "!")
		if names[name] == unwanted {
			t.Errorf("%s is in the closure: %v, expected %v", name, names[name], !unwanted)
		}
	}
}

func TestMentionsReach(t *testing.T) {
	sources{
		"main/m.go": reference(`other "test.invalid/a"; . "test.invalid/dot"`, `other.F(); Dotted()`),
		"test.invalid/a/a.go": `package a
			func F() { var t T; _ = t }
			func Unused() {}
			type T struct { U U }
			type U int
			type V int`,
		"test.invalid/dot/d.go": `package dot
			func Dotted() { helper() }
			func helper() {}`,
	}.follow(t).expect(t, "main.x", "test.invalid/a.F", "test.invalid/a.T", "test.invalid/a.U",
		"test.invalid/dot.Dotted", "test.invalid/dot.helper",
		"!test.invalid/a.Unused", "!test.invalid/a.V")
}

func TestPackageClauseNamesAnImport(t *testing.T) {
	sources{
		"main/m.go":                  `` + reference(`"test.invalid/go-thing"`, `thing.F()`),
		"test.invalid/go-thing/a.go": `package thing; func F() {}`,
	}.follow(t).expect(t, "test.invalid/go-thing.F")
}

func TestLocalNamesAreNoMentions(t *testing.T) {
	sources{
		"main/m.go": reference(``, `pod := 1; func(name int) { _ = name }(pod); type t struct { field int }`),
		"main/n.go": `package main
			func pod() {}
			var name, field int`,
	}.follow(t).expect(t, "main.x", "!main.pod", "!main.name", "!main.field")
}

func TestVendoredImports(t *testing.T) {
	s := sources{
		"main/m.go": reference(`"test.invalid/a"`, `a.F()`),
		"host.invalid/vendor/test.invalid/a/a.go":      `package a; func F() {}`,
		"other.invalid/vendor/test.invalid/a/wrong.go": `package a; func F() {}`,
	}
	const place = "host.invalid/vendor/test.invalid/a"
	for name, tell := range map[string]func(*listed){
		"ImportMap": func(p *listed) { p.ImportMap = map[string]string{"test.invalid/a": place} },
		"Imports":   func(p *listed) { p.Imports = []string{"fmt", place} },
	} {
		t.Run(name, func(t *testing.T) {
			list := s.listing(t)
			for _, p := range list {
				if p.ImportPath == "main" {
					tell(p)
				}
			}
			program, err := load(list)
			if err != nil {
				t.Fatal(err)
			}
			c := closureOf(program, group{Roots: []string{"kube.x"}})
			c.expect(t, "test.invalid/a.F")
			for n := range c.reached {
				if n.pkg.path != "main" && n.pkg.listed.ImportPath != place {
					t.Errorf("%s is of %s", n, n.pkg.listed.ImportPath)
				}
			}
		})
	}
}

func TestMethodsCountWhereTheirNameIsSelected(t *testing.T) {
	sources{
		"main/m.go": reference(`"test.invalid/a"; "reflect"`, `
			var v interface{} = a.T{}
			v.(interface{ Called() }).Called()
			v.(interface{ Two(a, b int) }).Two(1, 2)
			v.(interface{ Many(int, ...int) }).Many(1)
			v.(interface{ Spread(int, int) }).Spread(pair())
			_ = v.(interface{ Value(int) }).Value
			v.(interface{ hidden() }).hidden()
			reflect.ValueOf(v).MethodByName("Reflected").Call(nil)
			`) + `func pair() (int, int) { return 1, 2 }`,
		"test.invalid/a/a.go": `package a
			type T struct{}
			func (T) Called() { called() }
			func (T) Two(a int, b int) {}
			func (T) Many(a int, b ...int) {}
			func (T) Spread(a, b int) {}
			func (T) Value(int) {}
			func (T) Reflected(a, b, c int) {}
			func (T) hidden() {}
			func (T) Uncalled() { uncalled() }
			func called() {}
			func uncalled() {}
			type U struct{}
			func (U) Called() {}
			type W struct{}
			func (W) Two(a int) {}
			func (W) Many() {}
			var _ W`,
		"main/w.go": `package main; import "test.invalid/a"; func init() { use(a.W{}) }; func use(interface{}) {}`,
	}.follow(t).expect(t, "test.invalid/a.T.Called", "test.invalid/a.called", "test.invalid/a.T.Two",
		"test.invalid/a.T.Many", "test.invalid/a.T.Spread", "test.invalid/a.T.Value", "test.invalid/a.T.Reflected",
		"test.invalid/a.W",
		"!test.invalid/a.T.Uncalled", "!test.invalid/a.uncalled",
		"!test.invalid/a.T.hidden",                        // unexported, and selected in another package
		"!test.invalid/a.U.Called",                        // of a type that is not reached
		"!test.invalid/a.W.Two", "!test.invalid/a.W.Many") // with other parameters
}

func TestATypeThatTheSourceTellsDecides(t *testing.T) {
	sources{
		"main/m.go": reference(`"test.invalid/a"`, `f(&a.T{}, nil); var u a.U; u.Move(); _ = a.V{}`) + `
			func f(t *a.T, i a.I) { t.Move(); t.Promoted(); i.N(); _ = t.Worth }`,
		"test.invalid/a/a.go": `package a
			type I interface { N() }
			type T struct { E }
			func (t *T) Move() { t.own() }
			func (T) own() {}
			func (T) Worth() {}
			type E struct{}
			func (E) Promoted() {}
			func (E) own() {}
			type U int
			func (U) Move() {}
			type V struct{}
			func (V) Move() {}
			func (V) N() {}
			func (V) Worth() {}
			func (V) Promoted() {}`,
	}.follow(t).expect(t, "test.invalid/a.T.Move", "test.invalid/a.T.own", "test.invalid/a.U.Move", "test.invalid/a.T.Worth",
		"test.invalid/a.E.Promoted", "test.invalid/a.V.N", "test.invalid/a.V.Promoted",
		"!test.invalid/a.V.Move", "!test.invalid/a.E.own", "!test.invalid/a.V.Worth")
}

func TestStandardLibraryCallsMethods(t *testing.T) {
	sources{
		"main/m.go": reference(`"test.invalid/a"`, `_ = a.T{}`),
		"test.invalid/a/a.go": `package a
			type T struct{}
			func (T) MarshalJSON() ([]byte, error) { return nil, nil }
			func (T) String() string { return "" }
			func (T) Write(p []byte) (int, error) { return 0, nil }
			func (T) MarshalJSONWith(a int) {}
			func (T) Less(i, j int) bool { return false } // but no Len and Swap
			type sorted []int
			func (sorted) Len() int { return 0 }
			func (sorted) Less(i, j int) bool { return false }
			func (sorted) Swap(i, j int) {}
			type reverse struct { part }
			func (reverse) Less(i, j int) bool { return false }
			type part struct{}
			func (part) Len() int { return 0 }
			func (part) Swap(i, j int) {}
			func init() { use(sorted{}, reverse{}) }
			func use(...interface{}) {}`,
	}.follow(t).expect(t, "test.invalid/a.sorted.Len", "test.invalid/a.sorted.Swap",
		"test.invalid/a.reverse.Less", "test.invalid/a.part.Len", "test.invalid/a.part.Swap", // promoted
		"!test.invalid/a.T.Less", "test.invalid/a.T.MarshalJSON", "test.invalid/a.T.String", "test.invalid/a.T.Write",
		"!test.invalid/a.T.MarshalJSONWith")
}

func TestInterfacesCountBySignature(t *testing.T) {
	c := sources{
		"main/m.go": reference(`"test.invalid/a"`, `var v interface{} = a.T{}; _ = v.(a.I)`),
		"test.invalid/a/a.go": `package a
			type I interface { J; Marker(P) R }
			type J interface { Other() }
			type P struct{}
			type R struct{}
			type T struct{}
			func (T) Marker(P) R { return body() }
			func (T) Other() {}
			func (T) Unrelated() {}
			func body() R { return R{} }`,
	}.follow(t)
	c.expect(t, "test.invalid/a.I", "test.invalid/a.J", "test.invalid/a.T",
		"!test.invalid/a.T.Marker", "!test.invalid/a.body", "!test.invalid/a.P", "!test.invalid/a.R")
	var signatures []string
	for n := range c.signatures {
		signatures = append(signatures, n.name)
	}
	sort.Strings(signatures)
	if got := strings.Join(signatures, " "); got != "T.Marker T.Other" {
		t.Errorf("signatures: %s", got)
	}
}

func TestInitialisationOfAReachedPackage(t *testing.T) {
	sources{
		"main/m.go": reference(`"test.invalid/a"`, `a.F()`),
		"test.invalid/a/a.go": `package a
			import ("errors"; "k8s.io/klog/v2"; "k8s.io/apimachinery/pkg/util/sets")
			func F() {}
			func init() { registered() }
			var _ = made()
			var used = made2()
			var anError = errors.New("x")
			var logged = klog.V(1)
			var conversion = I(T{})
			var set = sets.New[string]("x")
			var table = []T{{}}
			var lazy = func() { never() }
			type I interface{}
			type T struct{}
			func registered() {}
			func made() int { return 1 }
			func made2() int { return 1 }
			func never() {}`,
		"k8s.io/apimachinery/pkg/util/sets/s.go": `package sets; func New[T any](...T) T { panic(1) }`,
		"k8s.io/klog/v2/k.go":                    `package klog; func V(int) bool { return true }`,
	}.follow(t).expect(t, "test.invalid/a.registered", "test.invalid/a.made", "test.invalid/a.made2", "test.invalid/a.used",
		"!test.invalid/a.anError", "!test.invalid/a.logged", "!test.invalid/a.conversion", "!test.invalid/a.table",
		"!test.invalid/a.lazy", "!test.invalid/a.set", "!test.invalid/a.never")
}

func TestInitialisationOfAnUnreachedPackage(t *testing.T) {
	s := sources{
		"main/m.go": reference(`"k8s.io/kubernetes/pkg/api/legacyscheme"; _ "test.invalid/install"; _ "test.invalid/idle"`, `_ = legacyscheme.Scheme`),
		"k8s.io/kubernetes/pkg/api/legacyscheme/s.go": `package legacyscheme; var Scheme int; type Kind int`,
		"k8s.io/apiserver/pkg/util/feature/f.go":      `package feature; var DefaultMutableFeatureGate int`,
		"test.invalid/install/i.go": `package install
			import "k8s.io/kubernetes/pkg/api/legacyscheme"
			func init() { Install(&legacyscheme.Scheme) }
			func Install(*int) { register() }
			func register() {}`,
		"test.invalid/indirect/i.go": `package indirect
			import "k8s.io/kubernetes/pkg/api/legacyscheme"
			var _ = install()
			func install() int { return legacyscheme.Scheme }`,
		"test.invalid/gates/g.go": `package gates
			import "k8s.io/apiserver/pkg/util/feature"
			func init() { add(&feature.DefaultMutableFeatureGate) }
			func add(*int) {}`,
		"test.invalid/typed/t.go": `package typed
			import "k8s.io/kubernetes/pkg/api/legacyscheme"
			func init() { var k legacyscheme.Kind; use(k) }
			func use(interface{}) {}`,
		"test.invalid/idle/i.go": `package idle; func init() { work() }; func work() {}`,
	}
	s.follow(t).expect(t, "test.invalid/install.register", "test.invalid/indirect.install",
		"!test.invalid/typed.use", // a type is no state
		"!test.invalid/gates.add", // nobody consults the gates
		"!test.invalid/idle.work")
	s["main/m.go"] = reference(`"k8s.io/apiserver/pkg/util/feature"`, `_ = feature.DefaultMutableFeatureGate`)
	s.follow(t).expect(t, "test.invalid/gates.add", "!test.invalid/install.register")
}

func TestInitsOfTheReferenceAreTakenApart(t *testing.T) {
	s := sources{"main/m.go": `package main
		var kube struct { a, b, c func(); flag bool }
		var filled func()
		func init() {
			local := first()
			kube.a = func() { _ = local; kube.c() }
			kube.b = second
			kube.c = third
			filled = fourth
			always()
		}
		func first() int { return 0 }
		func second() { filled() }
		func third() {}
		func fourth() {}
		func always() {}`}
	program := s.load(t)
	closureOf(program, group{Roots: []string{"kube.a"}}).expect(t,
		"main.first", "main.third", "main.always", "!main.second", "!main.fourth")
	closureOf(program, group{Roots: []string{"kube.b"}}).expect(t,
		"main.second", "main.fourth", "main.always", "!main.first", "!main.third")
	closureOf(program, group{Roots: []string{"kube.c if kube.flag", "kube.b if kube.a"}}).expect(t,
		"main.second", "!main.third")
}

func TestFunctionsWithoutBodies(t *testing.T) {
	sources{
		"main/m.go": reference(`_ "unsafe"; _ "test.invalid/a"`, `linked(); method(); jumped()`) + `
			//go:linkname method test.invalid/a.(*T).private
			func method()
			//go:linkname linked test.invalid/a.private
			func linked()
			func jumped()
			//go:linkname unused test.invalid/a.unused
			func unused()`,
		"main/jump.s": "TEXT ·jumped(SB),7,$0-0\n\tJMP test·invalid∕a·target(SB)\n",
		"test.invalid/a/a.go": `package a; func private() {}; func target() {}; func unused() {}
			type T struct{}
			func (*T) private() {}
			func (*T) other() {}`,
	}.follow(t).expect(t, "main.assembly", "test.invalid/a.private", "test.invalid/a.target", "!test.invalid/a.unused",
		"test.invalid/a.T.private", "!test.invalid/a.T.other")
}

func TestOpaquePackagesAreNotFollowedButCallBack(t *testing.T) {
	sources{
		"main/m.go": reference(`"k8s.io/klog/v2"; "test.invalid/a"`, `klog.Info(a.T{})`),
		"k8s.io/klog/v2/k.go": `package klog
			import "test.invalid/b"
			type named interface { GetName() string }
			func Info(n named) { b.F() }`,
		"test.invalid/a/a.go": `package a
			type T struct{}
			func (T) GetName() string { return "" }
			func (T) GetOther() string { return "" }`,
		"test.invalid/b/b.go": `package b; func F() {}`,
	}.follow(t).expect(t, "test.invalid/a.T.GetName", "!test.invalid/a.T.GetOther", "!test.invalid/b.F",
		"!k8s.io/klog/v2.Info")
}

func TestInformersAreStartedByCallsOnly(t *testing.T) {
	s := sources{
		"main/m.go": reference(`"k8s.io/client-go/informers"`, `informers.New(); var r struct { Start int }; _ = r.Start`),
		"k8s.io/client-go/informers/f.go": `package informers
			func New() interface{} { return &sharedInformerFactory{} }
			type sharedInformerFactory struct{}
			func (f *sharedInformerFactory) Start(stop <-chan struct{}) {}`,
	}
	s.follow(t).expect(t, "!k8s.io/client-go/informers.sharedInformerFactory.Start")
	s["main/m.go"] = reference(`"k8s.io/client-go/informers"`, `informers.New().(interface{ Start(<-chan struct{}) }).Start(nil)`)
	s.follow(t).expect(t, "k8s.io/client-go/informers.sharedInformerFactory.Start")
}

func TestFileDescriptorsDoNotCount(t *testing.T) {
	sources{
		"main/m.go": reference(`"test.invalid/a"`, `_ = a.T{}; _ = a.FileDescriptor`),
		"test.invalid/a/generated.pb.go": `package a
			type T struct{}
			func init() { register(fileDescriptor_12ab) }
			func register([]byte) {}
			var fileDescriptor_12ab = []byte{1}`,
		"test.invalid/a/other.go": `package a; var FileDescriptor, fileDescriptorOfOurs = fileDescriptorOfOurs, 1`,
	}.follow(t).expect(t, "test.invalid/a.T", "test.invalid/a.register", "test.invalid/a.FileDescriptor",
		"!test.invalid/a.fileDescriptor_12ab")
}

func TestConstantsThatCountPositionsAreOne(t *testing.T) {
	sources{
		"main/m.go": reference(`"test.invalid/a"`, `_ = a.Second; _ = a.Named`),
		"test.invalid/a/a.go": `package a
			const ( First = iota; Second )
			const ( Named = "a"; Unused = "b" )`,
	}.follow(t).expect(t, "test.invalid/a.First", "test.invalid/a.Named", "!test.invalid/a.Unused")
}

func TestGatesCountWhereTheyAreMentioned(t *testing.T) {
	s := sources{
		"main/m.go": reference(`"test.invalid/features"`, `features.Enabled(features.Asked)`),
		"test.invalid/features/f.go": `package features
			type Feature string
			const ( Asked Feature = "Asked"; Other Feature = "Other" )
			var gates = map[Feature]bool{
				Asked: true,
				Other: otherDefault,
			}
			const otherDefault = false
			func Enabled(f Feature) bool { return gates[f] }`,
	}
	program := s.load(t)
	asked := closureOf(program, group{Roots: []string{"kube.x"}})
	asked.expect(t, "test.invalid/features.gates", "test.invalid/features.gates[Asked]",
		"!test.invalid/features.gates[Other]", "!test.invalid/features.otherDefault")
	closureOf(program, group{Roots: []string{"kube.x"}, EveryGate: true}).expect(t,
		"test.invalid/features.gates[Asked]", "test.invalid/features.gates[Other]", "test.invalid/features.otherDefault")

	before := report("", map[string]*closure{"g": asked}).Groups["g"]
	text := s["test.invalid/features/f.go"]
	for changed, same := range map[string]bool{
		strings.Replace(text, "Other: otherDefault,\n", "", 1):  true,
		strings.Replace(text, "Asked: true", "Asked: false", 1): false,
		strings.Replace(text, "Asked: true,\n", "", 1):          false,
	} {
		s["test.invalid/features/f.go"] = changed
		after := report("", map[string]*closure{"g": s.follow(t)}).Groups["g"]
		if (after == before) != same {
			t.Errorf("the digest is the same: %v, expected %v, of\n%s", after == before, same, changed)
		}
	}
}

func TestDigests(t *testing.T) {
	const original = `package a
		import "test.invalid/b"
		// F does.
		func F(p b.P) int { return p.N /* really */ }
		type T struct { N int ` + "`json:\"n\"`" + ` }`
	digests := func(text string) map[string]*entry {
		s := sources{
			"main/m.go":           reference(`"test.invalid/a"`, `a.F(nil); _ = a.T{}`),
			"test.invalid/a/a.go": text,
			"test.invalid/b/b.go": `package b; type P struct { N int }`,
			"test.invalid/c/c.go": `package c; type P struct { N int }`,
		}
		return report("", map[string]*closure{"g": s.follow(t)}).Packages["test.invalid/a"]
	}
	before := digests(original)
	for _, change := range []struct{ from, to, differs string }{
		{"// F does.", "// F did.\n//\n", ""},
		{" /* really */ ", "\n\n", ""},
		{`import "test.invalid/b"`, `import other "test.invalid/b"; var b = 1`, "F"}, // b.N is a field now
		{"return p.N /* really */ }", "return p.N;\n}", ""},
		{"p.N", "p.N + 1", "F"},
		{`json:\"n\"`, `json:\"m\"`, ""},
		{"json:\"n\"", "json:\"m\"", "T"},
		{"// F does.", "//go:noinline", "F"},
	} {
		after := digests(strings.Replace(original, change.from, change.to, 1))
		differs := ""
		for _, name := range []string{"F", "T"} {
			if after[name].digest != before[name].digest {
				differs += name
			}
		}
		if differs != change.differs {
			t.Errorf("%q for %q changes %q, expected %q", change.to, change.from, differs, change.differs)
		}
	}
	renamed := strings.NewReplacer(`import "test.invalid/b"`, `import other "test.invalid/b"`, "b.P", "other.P").Replace(original)
	if digests(renamed)["F"].digest != before["F"].digest {
		t.Error("an import's alias changes a digest")
	}
	moved := strings.Replace(original, `import "test.invalid/b"`, `import b "test.invalid/c"`, 1)
	if digests(moved)["F"].digest == before["F"].digest {
		t.Error("another package under the same name changes no digest")
	}
}

func TestEmbeddedFilesAreDigested(t *testing.T) {
	digest := func(content string) string {
		s := sources{
			"main/m.go":              reference(`"test.invalid/a"`, `_ = a.Text`),
			"test.invalid/a/a.go":    "package a\nimport _ \"embed\"\n//go:embed text\nvar Text string",
			"test.invalid/a/text":    content,
			"test.invalid/a/another": content,
		}
		return report("", map[string]*closure{"g": s.follow(t)}).Groups["g"]
	}
	if digest("a") == digest("b") || digest("a") != digest("a") {
		t.Error("the digest does not follow the file")
	}
}

func TestReportIsDeterministic(t *testing.T) {
	s := sources{
		"main/m.go": `package main
			import "test.invalid/a"
			var kube struct { x, y func() }
			func init() { kube.x = a.F; kube.y = a.G }`,
		"test.invalid/a/a.go": `package a; func F() { both() }; func G() { both() }; func both() {}`,
	}
	listing := s.listing(t)
	write := func() string {
		program, err := load(listing)
		if err != nil {
			t.Fatal(err)
		}
		o := report("v1", map[string]*closure{
			"a": closureOf(program, group{Roots: []string{"kube.x"}}),
			"b": closureOf(program, group{Roots: []string{"kube.y"}}),
		})
		for name, mask := range map[string]uint64{"F": 1, "G": 2, "both": 3} {
			if got := o.Packages["test.invalid/a"][name].mask; got != mask {
				t.Errorf("%s has the mask %d, expected %d", name, got, mask)
			}
		}
		text, err := o.marshal()
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if first, second := write(), write(); first != second {
		t.Errorf("%s\nand then\n%s", first, second)
	}
}

func TestExplain(t *testing.T) {
	c := sources{
		"main/m.go":           reference(`"test.invalid/a"`, `a.F()`),
		"test.invalid/a/a.go": `package a; func F() { G() }; func G() {}; func H() {}`,
	}.follow(t)
	lines, err := c.explain("test.invalid/a.G")
	if err != nil {
		t.Fatal(err)
	}
	const want = "test.invalid/a.G\n  <- mentions: test.invalid/a.F\n  <- mentions: main.x\n" +
		"  <- mentions: main.init m.go#1\n  root kube.x"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s", got)
	}
	if _, err := c.explain("test.invalid/a.H"); err == nil {
		t.Error("what is not in the closure is explained")
	}
}

func TestCoveredFindsAHole(t *testing.T) {
	program := sources{
		"main/m.go":           reference(`"test.invalid/a"`, `a.F()`),
		"test.invalid/a/a.go": "package a\nfunc F() {\n}\nfunc G() {\n}\n",
	}.load(t)
	closures := map[string]*closure{"g": closureOf(program, group{Roots: []string{"kube.x"}})}
	profile := func(lines string) string {
		name := filepath.Join(t.TempDir(), "profile")
		if err := os.WriteFile(name, []byte("mode: atomic\n"+lines), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const f, g = "test.invalid/a/a.go:2.10,3.2 1 ", "test.invalid/a/a.go:4.10,5.2 1 "
	for name, test := range map[string]struct {
		o  options
		ok bool
	}{
		"inside":         {options{covered: profile(f + "1\n" + g + "0\n")}, true},
		"hole":           {options{covered: profile(f + "1\n" + g + "1\n")}, false},
		"only at start":  {options{covered: profile(f + "2\n" + g + "1\n"), baseline: profile(g + "1\n")}, true},
		"more than then": {options{covered: profile(f + "2\n" + g + "2\n"), baseline: profile(g + "1\n")}, false},
		"nothing ran":    {options{covered: profile(f + "0\n")}, false},
		"no such group":  {options{covered: profile(f + "1\n"), group: "h"}, false},
	} {
		var out strings.Builder
		err := checkCovered(program, closures, test.o, &out)
		if (err == nil) != test.ok {
			t.Errorf("%s: %v\n%s", name, err, out.String())
		}
	}
}
