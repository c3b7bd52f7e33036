package main

// Shim, 1.13 and 1.14: klog writes files unless its flags are there.

import (
	"flag"

	"k8s.io/klog"
)

func init() {
	klog.InitFlags(flag.NewFlagSet("klog", flag.ContinueOnError))
}
