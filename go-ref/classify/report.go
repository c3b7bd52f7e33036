package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sort"
)

// output is what classify prints. The order of the groups is that of the bits
// of a declaration's mask, from the lowest.
type output struct {
	Release  string                       `json:"release,omitempty"`
	Order    []string                     `json:"order"`
	Groups   map[string]string            `json:"groups"`
	Packages map[string]map[string]*entry `json:"packages"`
}

// entry is written as ["digest", mask].
type entry struct {
	digest string
	mask   uint64
}

func (e *entry) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`["%s",%d]`, e.digest, e.mask)), nil
}

// marshal writes the output as one line.
func (o *output) marshal() ([]byte, error) {
	text, err := json.Marshal(o)
	return append(text, '\n'), err
}

// report digests the closures.
func report(release string, closures map[string]*closure) *output {
	o := &output{
		Release:  release,
		Order:    []string{},
		Groups:   map[string]string{},
		Packages: map[string]map[string]*entry{},
	}
	for name := range closures {
		o.Order = append(o.Order, name)
	}
	sort.Strings(o.Order)
	for i, name := range o.Order {
		c := closures[name]
		var lines []string
		add := func(n *node, decl string, digest func() string) {
			e := o.entry(n, decl, digest)
			e.mask |= 1 << uint(i)
			lines = append(lines, n.pkg.path+"."+decl+" "+e.digest+"\n")
		}
		for n := range c.reached {
			add(n, n.name, n.digest)
		}
		for n := range c.signatures {
			add(n, n.name+" (signature)", n.signature)
		}
		sort.Strings(lines)
		h := sha256.New()
		for _, line := range lines {
			h.Write([]byte(line))
		}
		o.Groups[name] = shortHex(h)
	}
	return o
}

func (o *output) entry(n *node, decl string, digest func() string) *entry {
	decls := o.Packages[n.pkg.path]
	if decls == nil {
		decls = map[string]*entry{}
		o.Packages[n.pkg.path] = decls
	}
	e := decls[decl]
	if e == nil {
		e = &entry{digest: digest()}
		decls[decl] = e
	}
	return e
}
