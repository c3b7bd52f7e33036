package main

// Shim, 1.1 to 1.12: the kubelet's logger writes files unless it is told not to.

import "flag"

func init() {
	if err := flag.Set("logtostderr", "true"); err != nil {
		panic(err)
	}
}
