// Empty. Its presence lets the compiler accept functions without a body, which
// is what go:linkname needs.
