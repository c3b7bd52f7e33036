package main

// Shim, 1.13 and 1.14: klog writes files unless its flags are there.

import (
	"flag"

	"k8s.io/klog"
)

var klogFlags *flag.FlagSet

func init() {
	klogFlags = withKlogFlags(flag.NewFlagSet("klog", flag.ContinueOnError))
}

func withKlogFlags(flags *flag.FlagSet) *flag.FlagSet {
	klog.InitFlags(flags)
	return flags
}
