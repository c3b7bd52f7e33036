package main

// Shim, 1.2 to 1.5: what pulls the infra container's image, under its older and its
// newer name.

import "k8s.io/kubernetes/pkg/api"

type catchingPuller struct {
	container interface{}
}

func (p *catchingPuller) PullImage(pod *api.Pod, container *api.Container, secrets []api.Secret) (error, string) {
	p.container = container
	return errCaught, ""
}

func (p *catchingPuller) EnsureImageExists(pod *api.Pod, container *api.Container, secrets []api.Secret) (error, string) {
	return p.PullImage(pod, container, secrets)
}

func noNetworkFor(plugin noNetwork) (field string, value interface{}) { return "networkPlugin", plugin }
