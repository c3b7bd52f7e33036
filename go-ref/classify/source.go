package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// program is every package of a listing that the rule looks into.
type program struct {
	packages map[string]*pkg // by import path as listed
	// callbacks are the methods of an opaque package's interfaces.
	callbacks map[string][]selector
	main      *pkg

	embedded map[*node]bool // types that a struct embeds
	touches  []touch        // see touchingInits
}

// pkg is one parsed package.
type pkg struct {
	listed   *listed
	path     string // without vendor directories; "main" for the reference itself
	nodes    []*node
	named    map[string][]*node // what a plain identifier means
	inits    []*node            // run before main, wanted or not
	method   map[string][]*node // by the receiver's type
	links    map[string]ref     // go:linkname
	dots     []string           // dot imports
	byMethod map[string][]*node
	asm      *node // all assembly files, nil if there are none
}

type kind uint8

const (
	kindFunc kind = iota
	kindMethod
	kindType
	kindVar
	kindConst
	kindInit // an init function, or one statement of one in package main
	kindAsm
)

// node is a declaration.
type node struct {
	pkg      *pkg
	name     string // unique in its package
	kind     kind
	method   string // a method's name without its receiver
	file     *source
	at       span   // what is digested
	sign     span   // a method's receiver, name and signature
	prefix   string // digested before the text: keyword, go: directives
	line     int
	lastLine int
	bodyless bool
	params   arity // of a method
	callees  []ref // what a variable's initialiser calls, where that can be named
	acts     bool  // a variable's initialiser calls what cannot be named
	found    mentions
	entries  []*node // of a table of feature gates
	keys     []ref   // of an entry: the gate
	holes    []span  // what is not digested: the entries
}

type span struct{ start, end int }

// source is one file.
type source struct {
	name string
	text []byte
	// qualifiers are the places where an imported package is named: what counts
	// for a digest is the package and not how the file calls it.
	qualifiers map[int]string
}

// ref names a declaration of a package.
type ref struct{ pkg, name string }

// load parses the packages, two at a time.
func load(packages []*listed) (*program, error) {
	names := packageNames(packages)
	program := &program{packages: map[string]*pkg{}, callbacks: map[string][]selector{}}
	work := make(chan *listed)
	var lock sync.Mutex
	var failure error
	var workers sync.WaitGroup
	for i := 0; i < 2; i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for p := range work {
				err := program.read(p, names, &lock)
				lock.Lock()
				if err != nil {
					failure = err
				}
				lock.Unlock()
			}
		}()
	}
	for _, p := range packages {
		if !p.Standard {
			work <- p
		}
	}
	close(work)
	workers.Wait()
	if failure != nil {
		return nil, failure
	}
	if program.main == nil {
		return nil, fmt.Errorf("the listing has no package main")
	}
	program.keepInits()
	program.noteEmbedded()
	return program, nil
}

// read parses one package; the lock is for the program.
func (p *program) read(listed *listed, names map[string]string, lock *sync.Mutex) error {
	if opaque(unvendored(listed.ImportPath)) != "" {
		callbacks, err := readCallbacks(listed)
		lock.Lock()
		defer lock.Unlock()
		p.callbacks[listed.ImportPath] = callbacks
		return err
	}
	parsed, err := parsePackage(listed, names)
	if err != nil {
		return err
	}
	lock.Lock()
	defer lock.Unlock()
	p.packages[listed.ImportPath] = parsed
	if parsed.path == "main" {
		p.main = parsed
	}
	return nil
}

// readCallbacks is what an opaque package may call of the values it is given:
// the exported methods of its interface types.
func readCallbacks(listed *listed) ([]selector, error) {
	methods := map[string]bool{}
	var found []selector
	for _, name := range listed.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(listed.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			t, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			for _, m := range interfaceMethods(t) {
				if !methods[m.String()] {
					methods[m.String()] = true
					found = append(found, selector{name: m.name, count: m.params})
				}
			}
			return true
		})
	}
	return found, nil
}

// keepInits leaves only what runs something in the packages' inits.
func (p *program) keepInits() {
	for _, pkg := range p.packages {
		var kept []*node
		for _, n := range pkg.inits {
			if p.initialises(n) {
				kept = append(kept, n)
			}
		}
		pkg.inits = kept
	}
}

// noteEmbedded collects the types whose methods may be promoted.
func (p *program) noteEmbedded() {
	p.embedded = map[*node]bool{}
	for _, pkg := range p.packages {
		for _, n := range pkg.nodes {
			for _, r := range n.found.embedded {
				for _, t := range p.resolve(r) {
					p.embedded[t] = true
				}
			}
		}
	}
}

// packageNames reads the package clauses, by import path.
func packageNames(packages []*listed) map[string]string {
	names := map[string]string{}
	for _, p := range packages {
		if p.Standard || len(p.GoFiles) == 0 {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, p.GoFiles[0]), nil, parser.PackageClauseOnly)
		if err == nil {
			names[p.ImportPath] = file.Name.Name
		}
	}
	return names
}

// guessedName is the name of a package whose clause is not known: one of the
// standard library.
func guessedName(importPath string) string {
	base := path.Base(importPath)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
		base = path.Base(path.Dir(importPath))
	}
	return base
}

func parsePackage(listed *listed, names map[string]string) (*pkg, error) {
	p := &pkg{
		listed: listed,
		path:   unvendored(listed.ImportPath),
		named:  map[string][]*node{},
		method: map[string][]*node{},
		links:  map[string]ref{},
	}
	if names[listed.ImportPath] == "main" {
		p.path = "main"
	}
	for _, name := range listed.GoFiles {
		text, err := os.ReadFile(filepath.Join(listed.Dir, name))
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("%s: %v", listed.ImportPath, err)
		}
		reader := &fileReader{
			pkg:     p,
			file:    &source{name: name, text: text, qualifiers: map[int]string{}},
			tokens:  set.File(file.Pos()),
			scope:   file.Scope.Objects,
			imports: map[string]string{},
		}
		reader.readImports(file, names)
		reader.readLinknames(file)
		for _, decl := range file.Decls {
			if err := reader.readDecl(decl); err != nil {
				return nil, err
			}
		}
	}
	return p, p.readAssembly()
}

// fileReader makes nodes of a file's declarations.
type fileReader struct {
	pkg     *pkg
	file    *source
	tokens  *token.File
	scope   map[string]*ast.Object
	imports map[string]string // by the name that the file uses
	inits   int
}

func (r *fileReader) readImports(file *ast.File, names map[string]string) {
	for _, spec := range file.Imports {
		written, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		actual := r.pkg.listed.resolve(written)
		name, known := names[actual]
		if !known {
			name = guessedName(actual)
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		switch name {
		case "_":
		case ".":
			r.pkg.dots = append(r.pkg.dots, actual)
		default:
			r.imports[name] = actual
		}
	}
}

// readLinknames reads `//go:linkname local path.name`.
func (r *fileReader) readLinknames(file *ast.File) {
	for _, group := range file.Comments {
		for _, comment := range group.List {
			fields := strings.Fields(comment.Text)
			if len(fields) != 3 || fields[0] != "//go:linkname" {
				continue
			}
			if path, name, ok := splitSymbol(fields[2]); ok {
				r.pkg.links[fields[1]] = ref{r.pkg.listed.resolve(path), name}
			}
		}
	}
}

// splitSymbol takes the linker's name of a function or a method apart: k8s.io/a.f,
// k8s.io/a.T.m or k8s.io/a.(*T).m. A method comes as its node's name, T.m.
func splitSymbol(symbol string) (path, name string, ok bool) {
	last := strings.LastIndex(symbol, "/") + 1
	path, name, ok = strings.Cut(symbol[last:], ".")
	return symbol[:last] + path, strings.NewReplacer("(*", "", ")", "").Replace(name), ok
}

func (r *fileReader) readDecl(decl ast.Decl) error {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return r.readFunc(decl)
	case *ast.GenDecl:
		return r.readGen(decl)
	}
	return fmt.Errorf("%s: a declaration that does not parse", r.pkg.path)
}

func (r *fileReader) readFunc(decl *ast.FuncDecl) error {
	if decl.Recv == nil && decl.Name.Name == "init" {
		if r.pkg.path == "main" {
			return r.readMainInit(decl)
		}
		r.inits++
		n := r.node(kindInit, fmt.Sprintf("init %s#%d", r.file.name, r.inits), decl, "")
		n.found = r.mentions(decl, nil)
		r.pkg.inits = append(r.pkg.inits, n)
		return nil
	}
	prefix := directives(decl.Doc)
	if decl.Recv == nil {
		n := r.node(kindFunc, decl.Name.Name, decl, prefix)
		n.bodyless = decl.Body == nil
		n.found = r.mentions(decl, nil)
		r.pkg.name(decl.Name.Name, n)
		return nil
	}
	receiver := receiverType(decl.Recv.List[0].Type)
	n := r.node(kindMethod, receiver+"."+decl.Name.Name, decl, prefix)
	n.method = decl.Name.Name
	n.params = arityOf(decl.Type)
	n.bodyless = decl.Body == nil
	n.sign = r.span(decl.Pos(), decl.Type.End())
	n.found = r.mentions(decl, nil)
	r.pkg.method[receiver] = append(r.pkg.method[receiver], n)
	return nil
}

// receiverType is the name of a receiver's type.
func receiverType(expr ast.Expr) string {
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.ParenExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

func (r *fileReader) readGen(decl *ast.GenDecl) error {
	switch decl.Tok {
	case token.CONST:
		if countsPositions(decl) {
			n := r.node(kindConst, specName(decl), decl, "")
			n.found = r.mentions(decl, nil)
			for _, spec := range decl.Specs {
				r.nameValues(spec.(*ast.ValueSpec), n)
			}
			return nil
		}
		for _, spec := range decl.Specs {
			r.readValue(kindConst, spec.(*ast.ValueSpec), "const")
		}
	case token.VAR:
		for _, spec := range decl.Specs {
			spec := spec.(*ast.ValueSpec)
			prefix := "var"
			for _, doc := range []*ast.CommentGroup{decl.Doc, spec.Doc} {
				embedded, err := embeds(r.pkg.listed.Dir, doc)
				if err != nil {
					return err
				}
				prefix += embedded
			}
			r.readValue(kindVar, spec, prefix)
		}
	case token.TYPE:
		for _, spec := range decl.Specs {
			spec := spec.(*ast.TypeSpec)
			n := r.node(kindType, spec.Name.Name, spec, "type")
			n.found = r.mentions(spec, nil)
			r.pkg.name(spec.Name.Name, n)
		}
	}
	return nil
}

// countsPositions says whether a constant's value depends on where in the group
// it stands.
func countsPositions(decl *ast.GenDecl) bool {
	counts := false
	for _, spec := range decl.Specs {
		counts = counts || len(spec.(*ast.ValueSpec).Values) == 0
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		counts = counts || ok && id.Name == "iota"
		return !counts
	})
	return counts
}

// specName is the first name that a group of constants declares.
func specName(decl *ast.GenDecl) string {
	for _, spec := range decl.Specs {
		for _, name := range spec.(*ast.ValueSpec).Names {
			if name.Name != "_" {
				return name.Name
			}
		}
	}
	return "_"
}

func (r *fileReader) readValue(kind kind, spec *ast.ValueSpec, prefix string) {
	name := spec.Names[0].Name
	if name == "_" {
		r.inits++
		name = fmt.Sprintf("_ %s#%d", r.file.name, r.inits)
	}
	n := r.node(kind, name, spec, prefix)
	r.nameValues(spec, n)
	if table := gateTable(spec); table != nil {
		r.readGates(n, table)
	} else {
		n.found = r.mentions(spec, nil)
	}
	if kind != kindVar {
		return
	}
	for _, value := range spec.Values {
		r.readCalls(n, value)
	}
	if n.acts || len(n.callees) > 0 {
		r.pkg.inits = append(r.pkg.inits, n)
	}
}

func (r *fileReader) nameValues(spec *ast.ValueSpec, n *node) {
	for _, name := range spec.Names {
		if name.Name != "_" {
			r.pkg.name(name.Name, n)
		}
	}
}

// readCalls notes what an initialiser calls besides the standard library, opaque
// and inert packages, and what is predeclared. The body of a function literal does not run
// unless the literal is called.
func (r *fileReader) readCalls(n *node, value ast.Expr) {
	ast.Inspect(value, func(tree ast.Node) bool {
		switch tree := tree.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			r.readCallee(n, tree.Fun)
		}
		return true
	})
}

func (r *fileReader) readCallee(n *node, fun ast.Expr) {
	switch fun := fun.(type) {
	case *ast.ParenExpr:
		r.readCallee(n, fun.X)
		return
	case *ast.IndexExpr: // type arguments
		r.readCallee(n, fun.X)
		return
	case *ast.IndexListExpr:
		r.readCallee(n, fun.X)
		return
	case *ast.StarExpr:
		r.readCallee(n, fun.X)
		return
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.InterfaceType, *ast.FuncType:
		return // a conversion
	case *ast.Ident:
		if fun.Obj == nil && predeclared[fun.Name] {
			return
		}
		if !r.local(fun) {
			n.callees = append(n.callees, ref{r.pkg.listed.ImportPath, fun.Name})
			return
		}
	case *ast.SelectorExpr:
		if path, ok := r.imported(fun.X); ok {
			name := unvendored(path)
			if standard(path) && !actingStandard[path] || opaque(name) != "" || inert(name) {
				return
			}
			n.callees = append(n.callees, ref{path, fun.Sel.Name})
			return
		}
	}
	n.acts = true
}

// initialises says whether something runs when the program starts: an init
// function, or a variable's initialiser that calls more than conversions.
func (p *program) initialises(n *node) bool {
	if n.kind == kindInit || n.acts {
		return true
	}
	for _, callee := range n.callees {
		found := p.resolve(callee)
		if len(found) == 0 || found[0].kind != kindType {
			return true
		}
	}
	return false
}

// actingStandard are packages of the standard library whose functions change
// what others of it say.
var actingStandard = map[string]bool{"os": true, "math/rand": true, "mime": true, "syscall": true}

// predeclared are functions and types whose calls run no code of a package.
var predeclared = map[string]bool{
	"append": true, "cap": true, "complex": true, "imag": true, "len": true, "make": true, "max": true,
	"min": true, "new": true, "real": true, "string": true, "bool": true, "byte": true, "rune": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true, "uint": true, "uint8": true,
	"uint16": true, "uint32": true, "uint64": true, "uintptr": true, "float32": true, "float64": true,
}

// standard says whether an import path is of the standard library: its first
// element has no dot.
func standard(importPath string) bool {
	first := strings.SplitN(importPath, "/", 2)[0]
	return !strings.Contains(first, ".")
}

func (p *pkg) name(name string, n *node) {
	p.named[name] = append(p.named[name], n)
}

func (r *fileReader) node(kind kind, name string, at ast.Node, prefix string) *node {
	n := &node{
		pkg:      r.pkg,
		name:     name,
		kind:     kind,
		file:     r.file,
		at:       r.span(at.Pos(), at.End()),
		prefix:   prefix,
		line:     r.tokens.Line(at.Pos()),
		lastLine: r.tokens.Line(at.End()),
	}
	r.pkg.nodes = append(r.pkg.nodes, n)
	return n
}

func (r *fileReader) span(start, end token.Pos) span {
	return span{r.tokens.Offset(start), r.tokens.Offset(end)}
}

// readAssembly makes one node of all assembly files. It mentions what a file
// jumps to or calls by its full name, as in k8s·io∕api.name.
func (p *pkg) readAssembly() error {
	var text []byte
	for _, name := range p.listed.SFiles {
		file, err := os.ReadFile(filepath.Join(p.listed.Dir, name))
		if err != nil {
			return err
		}
		text = append(text, file...)
	}
	if len(text) == 0 {
		return nil
	}
	p.asm = &node{
		pkg: p, name: "assembly", kind: kindAsm,
		file: &source{name: "*.s", text: text}, at: span{0, len(text)},
	}
	p.nodes = append(p.nodes, p.asm)
	for _, word := range strings.FieldsFunc(string(text), func(c rune) bool {
		return strings.ContainsRune(" \t\n,()$", c)
	}) {
		symbol := strings.NewReplacer("·", ".", "∕", "/").Replace(word)
		if i := strings.LastIndex(symbol, "."); i > 0 && strings.Contains(word, "·") {
			p.asm.found.refs = append(p.asm.found.refs, ref{p.listed.resolve(symbol[:i]), symbol[i+1:]})
		}
	}
	return nil
}
