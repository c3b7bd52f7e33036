package main

// Shim, 1.6: StatefulSets are not rolled, and nothing of theirs is named by a hash.

func init() { delete(workloadControllers, "StatefulSet") }
