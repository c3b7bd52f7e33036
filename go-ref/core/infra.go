package main

import "fmt"

// answerInfraContainer hashes the container that holds a Pod's network: the one
// that the Docker manager makes for the Pod, as the Docker manager compares it.
func answerInfraContainer(r *request, a *answer) error {
	obj, err := r.viewed()
	if err != nil {
		return err
	}
	if !podSpecOf(obj).IsValid() {
		return fmt.Errorf("%T is no Pod", obj)
	}
	if kube.hashesInternal && r.View != "static" {
		if obj, err = kube.toInternal(obj); err != nil {
			return err
		}
	}
	image := r.InfraImage
	if image == "" {
		image = "gcr.io/google_containers/pause-amd64:3.0"
	}
	container, err := kube.infraContainer(obj, image)
	if err != nil {
		return err
	}
	hasher := kube.containerHash
	if kube.containerHashLegacy != nil {
		hasher = kube.containerHashLegacy
	}
	hash := hasher.sum(container)
	if r.Preimage {
		preimage, err := hasher.preimage(container, hash)
		if err != nil {
			return err
		}
		a.put("preimage", preimage)
	}
	return a.put("hash", hash)
}
