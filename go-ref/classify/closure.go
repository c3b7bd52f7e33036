package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// The mention closure: what may run, or lend its type or value, when a hook of
// the reference is called. README.md of go-ref states the rule in words.

//go:embed stdinterfaces.txt
var standardText string

// standardInterfacesWith are the standard library's interfaces, as lists of
// methods, by each of their methods. It calls methods of types that it does not
// know through these.
var standardInterfacesWith = byMethod(standardText)

func byMethod(text string) map[string][][]string {
	interfaces := map[string][][]string{}
	for _, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		methods := strings.Split(line, ", ")
		for _, m := range methods {
			interfaces[m] = append(interfaces[m], methods)
		}
	}
	return interfaces
}

// signatureOf is a method as it stands in stdinterfaces.txt.
func signatureOf(m *node) string { return m.method + " " + m.params.String() }

// calledByStandard says whether the standard library may call a type's method:
// whether the type has all methods of an interface with that one. Where methods
// are promoted into or out of the type, it may have them all.
func (p *program) calledByStandard(t, m *node) bool {
	interfaces := standardInterfacesWith[signatureOf(m)]
	if len(interfaces) > 0 && (len(t.found.embedded) > 0 || p.embedded[t]) {
		return true
	}
	has := map[string]bool{}
	for _, own := range t.pkg.method[t.name] {
		has[signatureOf(own)] = true
	}
	for _, methods := range interfaces {
		all := true
		for _, name := range methods {
			all = all && has[name]
		}
		if all {
			return true
		}
	}
	return false
}

// cause is why a node is in a closure.
type cause struct {
	by  *node // nil at a root
	why string
}

// closure is what a set of roots reaches.
type closure struct {
	program    *program
	reached    map[*node]cause
	signatures map[*node]cause // methods of which only the signature counts
	selectors  map[selector]*node
	named      map[string][]selector // the selectors by name
	declared   map[string]*node
	entered    map[*pkg]bool
	types      []*node
	waiting    map[string][]waiting // methods of reached types, by name
	gated      map[*node][]*node    // entries of tables, by the gate they wait for
	everyGate  bool
	queue      []*node
}

type waiting struct{ method, of *node }

// closureOf follows the roots, "name" or "name if other": the latter counts where
// package main has the other, too.
func closureOf(program *program, group group) *closure {
	c := &closure{
		program:    program,
		reached:    map[*node]cause{},
		signatures: map[*node]cause{},
		selectors:  map[selector]*node{},
		named:      map[string][]selector{},
		declared:   map[string]*node{},
		entered:    map[*pkg]bool{},
		waiting:    map[string][]waiting{},
		gated:      map[*node][]*node{},
		everyGate:  group.EveryGate,
	}
	for _, root := range group.Roots {
		name, condition, conditional := strings.Cut(root, " if ")
		if conditional && len(program.main.named[condition]) == 0 {
			continue
		}
		for _, n := range program.main.named[name] {
			c.reach(n, cause{nil, "root " + root})
		}
	}
	for _, n := range program.main.inits {
		c.reach(n, cause{nil, "runs in every reference"})
	}
	for {
		c.drain()
		if !c.reachForeignInits() {
			break
		}
	}
	c.collectSignatures()
	return c
}

func (c *closure) drain() {
	for len(c.queue) > 0 {
		n := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		c.follow(n)
	}
}

func (c *closure) reach(n *node, why cause) {
	if _, ok := c.reached[n]; ok || withoutInfluence(n) != "" {
		return
	}
	c.reached[n] = why
	c.queue = append(c.queue, n)
	for _, entry := range c.gated[n] {
		c.reach(entry, cause{n, "is the entry of"})
	}
}

func (c *closure) follow(n *node) {
	for _, ref := range n.found.refs {
		for _, s := range c.program.callbacks[ref.pkg] {
			c.selects(s, n)
		}
		for _, m := range c.program.resolve(ref) {
			c.reach(m, cause{n, "mentions"})
		}
	}
	for _, s := range n.found.selectors {
		c.selects(s, n)
	}
	for _, name := range n.found.declared {
		if c.declared[name] == nil {
			c.declared[name] = n
		}
	}
	if n.kind == kindType {
		c.followType(n)
	}
	c.reachEntries(n)
	if n.bodyless {
		c.followBodyless(n)
	}
	c.enter(n)
}

func (c *closure) selects(s selector, by *node) {
	if method := c.program.ownMethod(s); method != nil {
		c.reach(method, cause{by, "calls"})
		return
	}
	s.owner = ref{}
	if c.selectors[s] != nil {
		return
	}
	c.selectors[s] = by
	c.named[s.name] = append(c.named[s.name], s)
	var left []waiting
	for _, w := range c.waiting[s.name] {
		if s.calls(w.method) {
			c.reach(w.method, selected(s, w.of, by))
		} else {
			left = append(left, w)
		}
	}
	c.waiting[s.name] = left
}

func selected(s selector, of, by *node) cause {
	return cause{by, "selects " + s.String() + " (of " + of.String() + ")"}
}

func (c *closure) followType(n *node) {
	c.types = append(c.types, n)
	for _, method := range n.pkg.method[n.name] {
		if c.program.calledByStandard(n, method) {
			c.reach(method, cause{n, "the standard library may call ." + method.method + " of"})
			continue
		}
		called := false
		for _, s := range c.named[method.method] {
			if called = s.calls(method); called {
				c.reach(method, selected(s, n, c.selectors[s]))
				break
			}
		}
		if !called {
			c.waiting[method.method] = append(c.waiting[method.method], waiting{method, n})
		}
	}
}

// followBodyless goes where a function without a body is: elsewhere, by
// go:linkname, or in assembly.
func (c *closure) followBodyless(n *node) {
	if target, ok := n.pkg.links[n.name]; ok {
		for _, m := range c.program.linked(target) {
			c.reach(m, cause{n, "is linked to by"})
		}
	}
	if n.pkg.asm != nil {
		c.reach(n.pkg.asm, cause{n, "holds the body of"})
	}
}

// enter reaches what runs before main in a package of which something is used.
func (c *closure) enter(n *node) {
	if c.entered[n.pkg] {
		return
	}
	c.entered[n.pkg] = true
	if n.pkg == c.program.main {
		return
	}
	for _, init := range n.pkg.inits {
		c.reach(init, cause{n, "runs at the start, in the package of"})
	}
}

// reachForeignInits reaches, in packages that are linked and of which nothing is
// used, what runs before main and touches state of a package in the closure.
func (c *closure) reachForeignInits() bool {
	any := false
	for _, t := range c.program.touchingInits() {
		if _, ok := c.reached[t.init]; ok || !c.entered[t.pkg] {
			continue
		}
		c.reach(t.init, cause{nil, "runs at the start and touches " + t.state})
		any = true
	}
	return any
}

// collectSignatures notes which uncalled methods make a reached type implement a
// reached interface.
func (c *closure) collectSignatures() {
	for _, t := range c.types {
		for _, method := range t.pkg.method[t.name] {
			_, called := c.reached[method]
			if by := c.declared[method.method]; by != nil && !called {
				c.signatures[method] = cause{by, "declares " + method.method + " (of " + t.String() + ")"}
			}
		}
	}
}

// String is the name by which people call a declaration.
func (n *node) String() string { return n.pkg.path + "." + n.name }

// resolve is what a mention means; nothing if it is of the standard library, of
// an opaque package, predeclared, or a field.
func (p *program) resolve(r ref) []*node {
	pkg := p.packages[r.pkg]
	if pkg == nil {
		return nil
	}
	if nodes := pkg.named[r.name]; nodes != nil {
		return nodes
	}
	for _, dot := range pkg.dots {
		if other := p.packages[dot]; other != nil && other.named[r.name] != nil {
			return other.named[r.name]
		}
	}
	return nil
}

// linked is what go:linkname names: a function, or a method.
func (p *program) linked(r ref) []*node {
	receiver, _, isMethod := strings.Cut(r.name, ".")
	if pkg := p.packages[r.pkg]; isMethod && pkg != nil {
		for _, method := range pkg.method[receiver] {
			if method.name == r.name {
				return []*node{method}
			}
		}
	}
	return p.resolve(r)
}

// explain is the chain of mentions from a root to a declaration.
func (c *closure) explain(name string) ([]string, error) {
	for _, pkg := range c.program.packages {
		for _, n := range pkg.nodes {
			why, ok := c.reached[n]
			if !ok {
				why, ok = c.signatures[n]
			}
			if ok && (n.String() == name || pkg.listed.ImportPath+"."+n.name == name) {
				return c.chain(n, why), nil
			}
		}
	}
	return nil, fmt.Errorf("%s is not in the closure", name)
}

func (c *closure) chain(n *node, why cause) []string {
	lines := []string{n.String()}
	for {
		if why.by == nil {
			return append(lines, "  "+why.why)
		}
		lines = append(lines, fmt.Sprintf("  <- %s: %s", why.why, why.by))
		why = c.reached[why.by]
	}
}
