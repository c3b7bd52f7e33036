package main

// Shim, 1.27: the DRA manager's first format, which nothing is older than.

var olderDRA []interface{}
