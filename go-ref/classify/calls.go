package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// arity is what a method's parameters have to say about who can call it.
type arity struct {
	params   int
	variadic bool
}

func arityOf(t *ast.FuncType) arity {
	a := arity{}
	for _, field := range t.Params.List {
		_, a.variadic = field.Type.(*ast.Ellipsis)
		a.params += 1
		if len(field.Names) > 1 {
			a.params += len(field.Names) - 1
		}
	}
	return a
}

// String is the form of stdinterfaces.txt: "2", or "2..." with a variadic last one.
func (a arity) String() string {
	if a.variadic {
		return fmt.Sprintf("%d...", a.params)
	}
	return fmt.Sprint(a.params)
}

// selector is x.name where x is not a package: a call with so many arguments, or
// with a number that is not known, or no call: a field, or a method as a value.
type selector struct {
	pkg   string // of an unexported name, which means something there only
	name  string
	count int
	// owner is the type of x, where the source says so next to its name.
	owner ref
}

const (
	anyCount = -1
	noCall   = -2
)

// calls says whether the selector can stand for a method, whatever x is.
func (s selector) calls(method *node) bool {
	if s.name != method.method || s.pkg != "" && s.pkg != method.pkg.listed.ImportPath {
		return false
	}
	switch {
	case s.count == anyCount:
		return true
	case s.count == noCall:
		return !isCalledOnly(method)
	case method.params.variadic:
		return s.count >= method.params.params-1
	}
	return s.count == method.params.params
}

func (s selector) String() string {
	switch s.count {
	case noCall:
		return "." + s.name
	case anyCount:
		return "." + s.name + "(…)"
	}
	return "." + s.name + "(" + strings.TrimSuffix(strings.Repeat("_, ", s.count), ", ") + ")"
}

// argumentCount is how many arguments a call passes. One that is itself a call
// may stand for several.
func argumentCount(call *ast.CallExpr) int {
	if len(call.Args) == 1 {
		if _, ok := call.Args[0].(*ast.CallExpr); ok {
			return anyCount
		}
	}
	return len(call.Args)
}

// ownerOf is the named type of an expression that is a parameter, a receiver or
// a variable declared with its type (T, *T, package.T); else nothing. A call of a
// method that such a type declares is a call of that method and of no other.
func (r *fileReader) ownerOf(expr ast.Expr) ref {
	id, ok := expr.(*ast.Ident)
	if !ok || id.Obj == nil {
		return ref{}
	}
	var t ast.Expr
	switch decl := id.Obj.Decl.(type) {
	case *ast.Field:
		t = decl.Type
	case *ast.ValueSpec:
		t = decl.Type
	}
	return r.namedType(t)
}

// namedType is the declaration behind T, *T or package.T, or nothing.
func (r *fileReader) namedType(t ast.Expr) ref {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch t := t.(type) {
	case *ast.Ident:
		if !r.local(t) {
			return ref{r.pkg.listed.ImportPath, t.Name}
		}
	case *ast.SelectorExpr:
		if path, ok := r.imported(t.X); ok {
			return ref{path, t.Sel.Name}
		}
	}
	return ref{}
}

// ownMethod is the method that a selector's owner declares, or nil: then it may
// be promoted, or the owner an interface.
func (p *program) ownMethod(s selector) *node {
	for _, t := range p.resolve(s.owner) {
		if t.kind != kindType {
			continue
		}
		for _, method := range t.pkg.method[t.name] {
			if method.method == s.name {
				return method
			}
		}
	}
	return nil
}
