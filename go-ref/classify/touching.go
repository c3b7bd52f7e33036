package main

import "sort"

// touch is an initialisation that mentions a state.
type touch struct {
	init  *node
	state string
	pkg   *pkg // which holds the state
}

// touchingInits are the initialisations that mention states, themselves or in
// functions of their own package that they mention.
func (p *program) touchingInits() []touch {
	if p.touches != nil {
		return p.touches
	}
	p.touches = []touch{}
	for _, pkg := range p.packages {
		if pkg == p.main {
			continue
		}
		for _, n := range pkg.inits {
			for state, holder := range p.touchedStates(n) {
				p.touches = append(p.touches, touch{n, state, holder})
			}
		}
	}
	sort.Slice(p.touches, func(i, j int) bool {
		a, b := p.touches[i], p.touches[j]
		if a.init != b.init {
			return a.init.String() < b.init.String()
		}
		return a.state < b.state
	})
	return p.touches
}

// touchedStates are the states that a declaration mentions, directly or through
// its own package, with the packages that hold them.
func (p *program) touchedStates(from *node) map[string]*pkg {
	touched := map[string]*pkg{}
	seen := map[*node]bool{from: true}
	queue := []*node{from}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		var next []*node
		for _, r := range n.found.refs {
			if r.pkg == n.pkg.listed.ImportPath {
				next = append(next, n.pkg.named[r.name]...)
			} else if holder := p.holder(r); holder != nil {
				touched[holder.path+"."+r.name] = holder
			}
		}
		for _, s := range n.found.selectors {
			next = append(next, n.pkg.methodsNamed(s.name)...)
		}
		for _, m := range next {
			if !seen[m] {
				seen[m] = true
				queue = append(queue, m)
			}
		}
	}
	return touched
}

// holder is the package of the state that a mention means, or nil.
func (p *program) holder(r ref) *pkg {
	if !isState(unvendored(r.pkg), r.name) {
		return nil
	}
	for _, n := range p.resolve(r) {
		if n.kind == kindVar || n.kind == kindFunc {
			return n.pkg
		}
	}
	return nil
}

func (p *pkg) methodsNamed(name string) []*node {
	if p.byMethod == nil {
		p.byMethod = map[string][]*node{}
		for _, n := range p.nodes {
			if n.kind == kindMethod {
				p.byMethod[n.method] = append(p.byMethod[n.method], n)
			}
		}
	}
	return p.byMethod[name]
}
