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

// String is the form of stdnames.txt: "2", or "2..." with a variadic last one.
func (a arity) String() string {
	if a.variadic {
		return fmt.Sprintf("%d...", a.params)
	}
	return fmt.Sprint(a.params)
}

// selector is x.name where x is not a package: a call with so many arguments, or
// (anyCount) something of which the number is not known, as a method value.
type selector struct {
	pkg   string // of an unexported name, which means something there only
	name  string
	count int
}

const anyCount = -1

// calls says whether the selector can stand for a method.
func (s selector) calls(method *node) bool {
	if s.name != method.method || s.pkg != "" && s.pkg != method.pkg.listed.ImportPath {
		return false
	}
	switch {
	case s.count == anyCount:
		return true
	case method.params.variadic:
		return s.count >= method.params.params-1
	}
	return s.count == method.params.params
}

func (s selector) String() string {
	if s.count == anyCount {
		return "." + s.name
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
