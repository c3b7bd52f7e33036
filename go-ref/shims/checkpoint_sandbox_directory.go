package main

// Shim, 1.7 to 1.10: the constructor of dockershim's handler of checkpoints.

import "k8s.io/kubernetes/pkg/kubelet/dockershim"

func newSandboxHandler(dir string) (dockershim.CheckpointHandler, error) {
	return dockershim.NewPersistentCheckpointHandler(dir)
}
