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

//go:generate sh -c "go run . -stdnames $(go env GOROOT) > stdnames.new && mv stdnames.new stdnames.txt"

// standardMethods are the methods of all interface types in the sources of
// standard libraries.
func standardMethods(goroots []string) (map[string]bool, error) {
	names := map[string]bool{}
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
					for _, m := range interfaceMethods(t) {
						names[m.String()] = true
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
	return names, nil
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

func writeStandardNames(w io.Writer, goroots []string) error {
	names, err := standardMethods(goroots)
	if err != nil {
		return err
	}
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	fmt.Fprintln(w, "# Exported methods of the standard library's interface types, and how many parameters they have. Made by classify -stdnames GOROOT...")
	for _, name := range sorted {
		fmt.Fprintln(w, name)
	}
	return nil
}
