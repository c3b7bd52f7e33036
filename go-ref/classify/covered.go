package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"strings"
)

// blocks are the counters of a coverage profile by "path/file.go:position".
type blocks map[string]uint64

func readProfile(path string) (blocks, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	counts := blocks{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 3 {
			continue // the mode
		}
		count, err := strconv.ParseUint(fields[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %v", path, err)
		}
		counts[fields[0]] += count
	}
	return counts, lines.Err()
}

// checkCovered fails if functions ran of which no closure knows.
func checkCovered(program *program, closures map[string]*closure, o options, out io.Writer) error {
	counts, err := readProfile(o.covered)
	if err != nil {
		return err
	}
	baseline := blocks{}
	if o.baseline != "" {
		if baseline, err = readProfile(o.baseline); err != nil {
			return err
		}
	}
	if o.group != "" {
		c, ok := closures[o.group]
		if !ok {
			return fmt.Errorf("no such group: %s", o.group)
		}
		closures = map[string]*closure{o.group: c}
	}
	ran, strangers := map[*node]bool{}, map[string]bool{}
	functions := program.functions()
	for block, count := range counts {
		if count <= baseline[block] {
			continue
		}
		if n := functions.find(block); n != nil {
			ran[n] = true
		}
	}
	for n := range ran {
		if !inAny(closures, n) {
			strangers[n.String()] = true
		}
	}
	fmt.Fprintf(out, "%d functions ran, %d of them are in no closure\n", len(ran), len(strangers))
	for _, name := range sortedKeys(strangers) {
		fmt.Fprintln(out, name)
	}
	if len(ran) == 0 {
		return fmt.Errorf("%s: nothing of the listing ran", o.covered)
	}
	if len(strangers) > 0 {
		return fmt.Errorf("the rule has a hole")
	}
	return nil
}

func inAny(closures map[string]*closure, n *node) bool {
	for _, c := range closures {
		if _, ok := c.reached[n]; ok {
			return true
		}
	}
	return false
}

func sortedKeys(set map[string]bool) []string {
	var keys []string
	for key := range set {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

// functions finds declarations by "import/path/file.go".
type functions map[string][]*node

func (p *program) functions() functions {
	byFile := functions{}
	for _, pkg := range p.packages {
		for _, n := range pkg.nodes {
			if n.kind != kindAsm && pkg != p.main {
				key := pkg.listed.ImportPath + "/" + n.file.name
				byFile[key] = append(byFile[key], n)
			}
		}
	}
	return byFile
}

// find is the declaration that holds a block "path/file.go:12.3,14.5".
func (f functions) find(block string) *node {
	colon := strings.LastIndex(block, ":")
	if colon < 0 {
		return nil
	}
	line, err := strconv.Atoi(strings.SplitN(block[colon+1:], ".", 2)[0])
	if err != nil {
		return nil
	}
	for _, n := range f[block[:colon]] {
		if n.line <= line && line <= n.lastLine {
			return n
		}
	}
	return nil
}
