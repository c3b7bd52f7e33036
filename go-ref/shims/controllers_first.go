package main

// Shim, 1.6: StatefulSets are not rolled, and nothing of theirs is named by a hash.
// Deployments find their old ReplicaSets by Pods.

func init() {
	delete(workloadControllers, "StatefulSet")
	replicaSetsHavePods = true
}
