package main

// Shim, 1.1 to 1.12: the kubelet's logger writes files unless it is told not to.

import "flag"

// logsToStderr is what the logger said to that.
var logsToStderr error

func init() {
	logsToStderr = flag.Set("logtostderr", "true")
}
