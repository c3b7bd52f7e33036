package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
)

//go:generate sh -c "go run . -stdinterfaces $(go env GOROOT) > stdinterfaces.new && mv stdinterfaces.new stdinterfaces.txt"

// standardInterfaces are all interface types in the sources of standard
// libraries, each as a line "Method parameters, Method parameters".
func standardInterfaces(goroots []string) (map[string]bool, error) {
	lines := map[string]bool{}
	for _, goroot := range goroots {
		root := filepath.Join(goroot, "src")
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if base := entry.Name(); base == "testdata" || path == filepath.Join(root, "cmd") {
					return filepath.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if t, ok := n.(*ast.InterfaceType); ok {
					if line := interfaceLine(t); line != "" {
						lines[line] = true
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return lines, nil
}

// interfaceLine is an interface's line; empty if it declares no methods.
func interfaceLine(t *ast.InterfaceType) string {
	var methods []string
	for _, m := range interfaceMethods(t) {
		methods = append(methods, m.String())
	}
	sort.Strings(methods)
	return strings.Join(methods, ", ")
}

// method is a method of an interface type.
type method struct {
	name string
	arity
}

func (m method) String() string { return m.name + " " + m.arity.String() }

// interfaceMethods are the methods of an interface type; none if one of them is
// not exported, as nobody else can implement it then.
func interfaceMethods(t *ast.InterfaceType) []method {
	var found []method
	for _, field := range t.Methods.List {
		signature, ok := field.Type.(*ast.FuncType)
		if !ok {
			continue // an embedded interface
		}
		for _, name := range field.Names {
			if !name.IsExported() {
				return nil
			}
			found = append(found, method{name.Name, arityOf(signature)})
		}
	}
	return found
}

func writeStandardInterfaces(w io.Writer, goroots []string) error {
	lines, err := standardInterfaces(goroots)
	if err != nil {
		return err
	}
	var sorted []string
	for line := range lines {
		sorted = append(sorted, line)
	}
	sort.Strings(sorted)
	fmt.Fprintln(w, "# The interface types of standard libraries: their methods with the number of parameters. Made by classify -stdinterfaces GOROOT...")
	for _, line := range sorted {
		fmt.Fprintln(w, line)
	}
	return nil
}
