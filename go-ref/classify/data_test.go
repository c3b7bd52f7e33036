package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestStandardInterfacesAreComplete(t *testing.T) {
	lines, err := standardInterfaces([]string{runtime.GOROOT()})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 100 {
		t.Fatalf("%s has %d interfaces only", runtime.GOROOT(), len(lines))
	}
	known := map[string]bool{}
	for _, line := range strings.Split(standardText, "\n") {
		known[line] = true
	}
	for line := range lines {
		if !known[line] {
			t.Errorf("stdinterfaces.txt lacks %q: go generate", line)
		}
	}
}

// Every question that golden/ is asked is in exactly one group.
func TestGroupsHaveAllQuestions(t *testing.T) {
	groups, err := readGroups("roots.json")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, group := range groups {
		for _, question := range group.Questions {
			count[question]++
		}
	}
	text, err := os.ReadFile("../../harness/src/question.rs")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?s)const QUESTIONS: &\[&str\] = &\[(.*?)\];`).FindSubmatch(text)
	if list == nil {
		t.Fatal("no list of questions")
	}
	asked := []string{"schema", "reconcile.served"}
	subjects := map[string]bool{}
	for _, match := range regexp.MustCompile(`"([^"]+)"`).FindAllSubmatch(list[1], -1) {
		name := string(match[1])
		asked = append(asked, name)
		subjects[strings.Split(name, ".")[0]] = true
	}
	if len(asked) < 15 {
		t.Fatalf("only %d questions found", len(asked))
	}
	for _, question := range asked {
		if count[question] != 1 {
			t.Errorf("%s is in %d groups", question, count[question])
		}
		delete(count, question)
	}
	for question := range count {
		// Of a subject that has no vectors yet there may be roots already.
		if subjects[strings.Split(question, ".")[0]] {
			t.Errorf("nobody asks %s", question)
		}
	}
}

// Every root is a hook of the core.
func TestRootsAreHooks(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../core/main.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	hooks := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "hooks" {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			for _, name := range field.Names {
				hooks["kube."+name.Name] = true
			}
		}
		return false
	})
	groups, err := readGroups("roots.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, group := range groups {
		used := group.Roots
		if group.Needs != "" {
			used = append(used, group.Needs)
		}
		for _, root := range used {
			for _, hook := range strings.Split(root, " if ") {
				if !hooks[hook] {
					t.Errorf("%s: the core has no hook %s", name, hook)
				}
			}
		}
	}
}

func TestCutsHaveReasons(t *testing.T) {
	for _, cut := range opaquePackages {
		if cut.path == "" || cut.reason == "" {
			t.Errorf("%+v", cut)
		}
	}
	for _, cut := range inertPackages {
		if cut.path == "" || cut.reason == "" {
			t.Errorf("%+v", cut)
		}
	}
	for _, method := range calledOnly {
		if method.method == "" || method.reason == "" {
			t.Errorf("%+v", method)
		}
	}
	for _, state := range states {
		if state.path == "" || state.reason == "" {
			t.Errorf("%+v", state)
		}
	}
}
