package main

import "sort"

// recorder is a hash.Hash that keeps what is written to it. DeepHashObject
// resets the hasher it is given, so a reset forgets.
type recorder struct {
	written []byte
}

func (r *recorder) Write(p []byte) (int, error) {
	r.written = append(r.written, p...)
	return len(p), nil
}

func (r *recorder) Sum(b []byte) []byte { return b }
func (r *recorder) Reset()              { r.written = nil }
func (r *recorder) Size() int           { return 0 }
func (r *recorder) BlockSize() int      { return 1 }

// recordDeepHash is the text that DeepHashObject writes for a value.
func recordDeepHash(value interface{}) []byte {
	r := &recorder{}
	kube.deepHash(r, value)
	return r.written
}

func sortStrings(s []string) { sort.Strings(s) }
