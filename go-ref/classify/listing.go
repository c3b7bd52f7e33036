package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// listed is what `go list -deps -json` prints of a package, as far as it is used.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	SFiles     []string
	Standard   bool
	Imports    []string
	ImportMap  map[string]string
}

// readListing reads the concatenated JSON objects that `go list` prints.
func readListing(r io.Reader) ([]*listed, error) {
	var packages []*listed
	seen := map[string]bool{}
	decoder := json.NewDecoder(r)
	for {
		p := &listed{}
		if err := decoder.Decode(p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("package %d of the listing: %v", len(packages)+1, err)
		}
		if !seen[p.ImportPath] {
			seen[p.ImportPath] = true
			packages = append(packages, p)
		}
	}
}

// resolve is the import path of the package that an import in the source of p
// means. Toolchains from go1.10 tell it in ImportMap; before, Imports has the
// places in a vendor directory.
func (p *listed) resolve(imported string) string {
	if actual, ok := p.ImportMap[imported]; ok {
		return actual
	}
	vendored := ""
	for _, actual := range p.Imports {
		if actual == imported {
			return actual
		}
		if strings.HasSuffix(actual, "/"+imported) && unvendored(actual) == imported {
			vendored = actual
		}
	}
	if vendored != "" {
		return vendored
	}
	return imported
}

// unvendored is an import path as sources write it: where a release keeps a
// dependency does not matter.
func unvendored(path string) string {
	for _, dir := range []string{"/vendor/", "/Godeps/_workspace/src/"} {
		if i := strings.LastIndex(path, dir); i >= 0 {
			return path[i+len(dir):]
		}
	}
	return path
}
