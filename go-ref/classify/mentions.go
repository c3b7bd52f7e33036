package main

import (
	"fmt"
	"go/ast"
	"strconv"
)

// mentions is what a declaration names.
type mentions struct {
	refs      []ref      // declarations
	selectors []selector // x.m where x is not a package: methods and fields
	declared  []string   // methods of interface types
	embedded  []ref      // types that structs embed
}

// imported is the import path that an expression names.
func (r *fileReader) imported(expr ast.Expr) (string, bool) {
	id, ok := expr.(*ast.Ident)
	if !ok || id.Obj != nil {
		return "", false
	}
	path, ok := r.imports[id.Name]
	return path, ok
}

// local says whether an identifier was declared inside a declaration.
func (r *fileReader) local(id *ast.Ident) bool {
	return id.Obj != nil && r.scope[id.Name] != id.Obj
}

// mentions collects what the tree names. Names of local variables in locals are
// mentions, too: those of an init function of package main that was taken apart.
func (r *fileReader) mentions(tree ast.Node, locals map[*ast.Object]string) mentions {
	c := &collector{fileReader: r, locals: locals, seen: map[interface{}]bool{}}
	ast.Walk(c, tree)
	return c.found
}

// collector is the visitor behind mentions.
type collector struct {
	*fileReader
	locals map[*ast.Object]string
	seen   map[interface{}]bool
	found  mentions
	// quiet is set inside the signature of an interface's method. No value is
	// made of the types there: who returns one mentions its type.
	quiet bool
}

func (c *collector) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.Ident:
		c.visitIdent(n)
	case *ast.SelectorExpr:
		return c.visitSelector(n)
	case *ast.Field: // its names are declared here
		ast.Walk(c, n.Type)
		return nil
	case *ast.StructType:
		c.visitStruct(n)
	case *ast.InterfaceType:
		c.visitInterface(n)
		return nil
	case *ast.CallExpr:
		return c.visitCall(n)
	case *ast.LabeledStmt:
		ast.Walk(c, n.Stmt)
		return nil
	case *ast.BranchStmt:
		return nil
	}
	return c
}

func (c *collector) visitIdent(id *ast.Ident) {
	if c.local(id) {
		if name, ok := c.locals[id.Obj]; ok {
			c.ref(c.pkg.listed.ImportPath, name)
		}
		return
	}
	if id.Name != "_" {
		c.ref(c.pkg.listed.ImportPath, id.Name)
	}
}

func (c *collector) visitSelector(n *ast.SelectorExpr) ast.Visitor {
	if path, ok := c.imported(n.X); ok {
		c.file.qualifiers[c.tokens.Offset(n.X.Pos())] = unvendored(path)
		c.ref(path, n.Sel.Name)
		return nil
	}
	if hook, ok := c.hook(n); ok {
		c.ref(c.pkg.listed.ImportPath, hook)
		return nil
	}
	c.selector(n.Sel.Name, noCall, c.ownerOf(n.X))
	ast.Walk(c, n.X)
	return nil
}

// hook is the name of the hook that kube.X of package main stands for.
func (r *fileReader) hook(expr ast.Expr) (string, bool) {
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok || r.pkg.path != "main" {
		return "", false
	}
	id, ok := selector.X.(*ast.Ident)
	if !ok || id.Name != "kube" || r.local(id) {
		return "", false
	}
	return "kube." + selector.Sel.Name, true
}

func (c *collector) visitStruct(n *ast.StructType) {
	for _, field := range n.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		embedded := c.namedType(field.Type)
		if index, ok := field.Type.(*ast.IndexExpr); ok {
			embedded = c.namedType(index.X)
		}
		c.found.embedded = append(c.found.embedded, embedded)
	}
}

func (c *collector) visitInterface(n *ast.InterfaceType) {
	for _, field := range n.Methods.List {
		if len(field.Names) == 0 {
			ast.Walk(c, field.Type)
			continue
		}
		for _, name := range field.Names {
			if !c.quiet && !c.seen["declared "+name.Name] {
				c.seen["declared "+name.Name] = true
				c.found.declared = append(c.found.declared, name.Name)
			}
		}
		outer := c.quiet
		c.quiet = true
		ast.Walk(c, field.Type)
		c.quiet = outer
	}
}

// visitCall notes how many arguments x.m(…) has, and the name in
// MethodByName("name").
func (c *collector) visitCall(call *ast.CallExpr) ast.Visitor {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return c
	}
	if _, ok := c.imported(fun.X); ok {
		return c
	}
	if _, ok := c.hook(fun); ok {
		return c
	}
	if fun.Sel.Name == "MethodByName" && len(call.Args) == 1 {
		if literal, ok := call.Args[0].(*ast.BasicLit); ok {
			if name, err := strconv.Unquote(literal.Value); err == nil {
				c.selector(name, anyCount, ref{})
			}
		}
	}
	c.selector(fun.Sel.Name, argumentCount(call), c.ownerOf(fun.X))
	ast.Walk(c, fun.X)
	for _, arg := range call.Args {
		ast.Walk(c, arg)
	}
	return nil
}

func (c *collector) ref(pkg, name string) {
	r := ref{pkg, name}
	if c.quiet || c.seen[r] {
		return
	}
	c.seen[r] = true
	c.found.refs = append(c.found.refs, r)
}

func (c *collector) selector(name string, count int, owner ref) {
	s := selector{name: name, count: count, owner: owner}
	if !ast.IsExported(name) {
		s.pkg = c.pkg.listed.ImportPath
	}
	if c.quiet || c.seen[s] {
		return
	}
	c.seen[s] = true
	c.found.selectors = append(c.found.selectors, s)
}

// readMainInit takes an init function of the reference apart: what is assigned
// to a hook belongs to that hook, what is assigned to a package variable to that
// variable, a local variable to those who mention it, and the rest to everybody.
func (r *fileReader) readMainInit(decl *ast.FuncDecl) error {
	locals := map[*ast.Object]string{}
	for i, stmt := range decl.Body.List {
		r.inits++
		name := fmt.Sprintf("init %s#%d", r.file.name, r.inits)
		n := r.node(kindInit, name, stmt, "")
		n.found = r.mentions(stmt, locals)
		targets := r.assigned(stmt, locals, i)
		if len(targets) == 0 {
			r.pkg.inits = append(r.pkg.inits, n)
		}
		for _, target := range targets {
			r.pkg.name(target, n)
		}
	}
	return nil
}

// assigned are the names that a statement gives values to, or nothing if it
// does something else as well.
func (r *fileReader) assigned(stmt ast.Stmt, locals map[*ast.Object]string, at int) []string {
	assign, ok := stmt.(*ast.AssignStmt)
	if !ok {
		return nil
	}
	var targets []string
	for _, left := range assign.Lhs {
		if hook, ok := r.hook(left); ok {
			targets = append(targets, hook)
			continue
		}
		id, ok := left.(*ast.Ident)
		switch {
		case !ok || id.Name == "_":
			return nil
		case r.local(id):
			if locals[id.Obj] == "" {
				locals[id.Obj] = fmt.Sprintf("%s#%d#%s", r.file.name, at, id.Name)
			}
			targets = append(targets, locals[id.Obj])
		default:
			targets = append(targets, id.Name)
		}
	}
	return targets
}
