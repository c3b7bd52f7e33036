// Classify says which declarations of Kubernetes, and of the modules it uses,
// can influence each subject of a reference, and digests them: two releases in
// which the digest of a group is the same answer its questions alike.
//
// It reads what `go list -deps -json .` prints in the directory of an assembled
// reference.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"sort"
)

func main() {
	runtime.GOMAXPROCS(2)
	var o options
	flag.StringVar(&o.packages, "packages", "", "the listing (default: stdin)")
	flag.StringVar(&o.roots, "roots", "roots.json", "the groups and their roots")
	flag.StringVar(&o.release, "release", "", "the release's name, for the output")
	flag.StringVar(&o.explain, "explain", "", "a group: tell why the declarations in the arguments are in its closure")
	flag.StringVar(&o.covered, "covered", "", "a coverage profile (mode count or atomic): fail if it ran what is in no closure")
	flag.StringVar(&o.baseline, "baseline", "", "with -covered: the profile of a run without requests, which is subtracted")
	flag.StringVar(&o.group, "group", "", "with -covered: look at this group's closure only")
	stdinterfaces := flag.Bool("stdinterfaces", false, "print the interface types of the GOROOTs in the arguments")
	flag.Parse()
	var err error
	if *stdinterfaces {
		err = writeStandardInterfaces(os.Stdout, flag.Args())
	} else {
		err = run(o, flag.Args(), os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "classify:", err)
		os.Exit(1)
	}
}

type options struct {
	packages, roots, release, explain, covered, baseline, group string
}

// group is a set of questions whose answers come from the same functions.
type group struct {
	Questions []string `json:"questions"`
	Roots     []string `json:"roots"`
	// Needs is the hook without which a release does not answer the questions.
	Needs string `json:"needs"`
	// EveryGate says that the answers tell all feature gates.
	EveryGate bool `json:"everyGate"`
}

func run(o options, args []string, in io.Reader, out io.Writer) error {
	if o.packages != "" {
		file, err := os.Open(o.packages)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	listing, err := readListing(bufio.NewReader(in))
	if err != nil {
		return err
	}
	groups, err := readGroups(o.roots)
	if err != nil {
		return err
	}
	program, err := load(listing)
	if err != nil {
		return err
	}
	closures := map[string]*closure{}
	for _, name := range groupNames(groups) {
		if needs := groups[name].Needs; needs == "" || program.main.named[needs] != nil {
			closures[name] = closureOf(program, groups[name])
		}
	}
	switch {
	case o.explain != "":
		return explain(closures, o.explain, args, out)
	case o.covered != "":
		return checkCovered(program, closures, o, out)
	}
	text, err := report(o.release, closures).marshal()
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	return err
}

func readGroups(path string) (map[string]group, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	groups := map[string]group{}
	if err := json.Unmarshal(data, &groups); err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	return groups, nil
}

func groupNames(groups map[string]group) []string {
	var names []string
	for name := range groups {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func explain(closures map[string]*closure, group string, names []string, out io.Writer) error {
	c, ok := closures[group]
	if !ok {
		return fmt.Errorf("no such group: %s", group)
	}
	for _, name := range names {
		lines, err := c.explain(name)
		if err != nil {
			return err
		}
		for _, line := range lines {
			fmt.Fprintln(out, line)
		}
	}
	return nil
}
