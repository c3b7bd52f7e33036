package main

import "go/ast"

// A release adds and drops feature gates all the time; a subject asks for a few.
// So a table of gates, a variable map[featuregate.Feature]…, is taken apart: an
// entry counts where its gate is mentioned elsewhere. Nothing but a request that
// sets gates, and the schema, looks at a table as a whole.

// gateTable is the literal of a variable that is a table of gates, or nil.
func gateTable(spec *ast.ValueSpec) *ast.CompositeLit {
	if len(spec.Names) != 1 || len(spec.Values) != 1 {
		return nil
	}
	literal, ok := spec.Values[0].(*ast.CompositeLit)
	if !ok {
		return nil
	}
	t, ok := literal.Type.(*ast.MapType)
	if !ok {
		return nil
	}
	switch key := t.Key.(type) {
	case *ast.SelectorExpr:
		ok = key.Sel.Name == "Feature"
	case *ast.Ident:
		ok = key.Name == "Feature"
	default:
		ok = false
	}
	if !ok {
		return nil
	}
	return literal
}

// readGates makes nodes of a table's entries.
func (r *fileReader) readGates(table *node, literal *ast.CompositeLit) {
	table.found = r.mentions(literal.Type, nil)
	for _, element := range literal.Elts {
		pair, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		keys := r.mentions(pair.Key, nil).refs
		if len(keys) == 0 {
			table.found.add(r.mentions(pair, nil))
			continue
		}
		entry := r.node(kindVar, table.name+"["+keys[0].name+"]", pair, "entry")
		entry.keys = keys
		entry.found = r.mentions(pair.Value, nil)
		table.entries = append(table.entries, entry)
		table.holes = append(table.holes, entry.at)
	}
}

func (m *mentions) add(other mentions) {
	m.refs = append(m.refs, other.refs...)
	m.selectors = append(m.selectors, other.selectors...)
	m.declared = append(m.declared, other.declared...)
	m.embedded = append(m.embedded, other.embedded...)
}

// reachEntries reaches the entries of a table whose gates are reached, and
// leaves the others until they are.
func (c *closure) reachEntries(table *node) {
	for _, entry := range table.entries {
		if c.everyGate {
			c.reach(entry, cause{table, "is an entry of"})
			continue
		}
		for _, key := range entry.keys {
			for _, gate := range c.program.resolve(key) {
				if _, ok := c.reached[gate]; ok {
					c.reach(entry, cause{gate, "is the entry of"})
				} else {
					c.gated[gate] = append(c.gated[gate], entry)
				}
			}
		}
	}
}
