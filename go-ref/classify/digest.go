package main

import (
	"crypto/sha256"
	"encoding/hex"
	"go/ast"
	"go/scanner"
	"go/token"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// digest is the first 16 hexadecimal digits of the SHA-256 of the declaration's
// tokens: no comments but go: directives, no positions, packages by their paths.
func (n *node) digest() string {
	h := sha256.New()
	io.WriteString(h, n.prefix+"\n")
	if n.kind == kindAsm {
		h.Write(n.file.text)
	} else {
		start := n.at.start
		if last := len(n.holes) - 1; last >= 0 { // between the entries are commas
			n.file.writeTokens(h, span{start, n.holes[0].start})
			start = n.holes[last].end
		}
		n.file.writeTokens(h, span{start, n.at.end})
	}
	return shortHex(h)
}

// signature is the digest of a method's receiver, name and type.
func (n *node) signature() string {
	h := sha256.New()
	n.file.writeTokens(h, n.sign)
	return shortHex(h)
}

func shortHex(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil))[:16] }

// writeTokens leaves out what only formatting decides about: a semicolon or comma
// before a closing bracket, and whether a semicolon is written or implied.
func (f *source) writeTokens(w io.Writer, at span) {
	text := f.text[at.start:at.end]
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(f.name, -1, len(text))
	s.Init(file, text, func(token.Position, string) {}, 0)
	separator := ""
	for {
		pos, tok, literal := s.Scan()
		switch tok {
		case token.EOF:
			return
		case token.SEMICOLON, token.COMMA:
			io.WriteString(w, separator)
			separator = tok.String() + "\n"
			continue
		case token.RPAREN, token.RBRACE, token.RBRACK:
			separator = ""
		}
		if path, ok := f.qualifiers[at.start+file.Offset(pos)]; ok {
			literal = `"` + path + `"`
		}
		if literal == "" {
			literal = tok.String()
		}
		io.WriteString(w, separator+literal+"\n")
		separator = ""
	}
}

// directives are the lines of a comment that speak to the compiler.
func directives(doc *ast.CommentGroup) string {
	lines := ""
	if doc == nil {
		return lines
	}
	for _, comment := range doc.List {
		if strings.HasPrefix(comment.Text, "//go:") {
			lines += comment.Text + "\n"
		}
	}
	return lines
}

// embeds is the digest of the files that a variable's go:embed directive names,
// or nothing.
func embeds(dir string, doc *ast.CommentGroup) (string, error) {
	h := sha256.New()
	any := false
	for _, line := range strings.Split(directives(doc), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "//go:embed" {
			continue
		}
		any = true
		for _, pattern := range fields[1:] {
			if err := digestFiles(h, dir, strings.TrimPrefix(pattern, "all:")); err != nil {
				return "", err
			}
		}
	}
	if !any {
		return "", nil
	}
	return " embeds " + shortHex(h), nil
}

func digestFiles(h hash.Hash, dir, pattern string) error {
	matches, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return err
	}
	sort.Strings(matches)
	for _, match := range matches {
		err := filepath.WalkDir(match, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			sum := sha256.Sum256(data)
			io.WriteString(h, filepath.Base(path)+"\n")
			h.Write(sum[:])
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
