package main

// Shim, 1.6 to 1.11: controllers send events by the clientset's REST client, of
// which a fake clientset has none. The goroutine that sends them may die of it;
// events are nobody's business here.

import utilruntime "k8s.io/apimachinery/pkg/util/runtime"

func init() {
	utilruntime.ReallyCrash = false
	utilruntime.PanicHandlers = nil
}
