package main

// Shim, 1.6 to 1.8: the ServiceAccount admission plugin, called as the API
// server calls it, with a service account and its token in its caches, which
// hold internal objects here.

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/api"
	informers "k8s.io/kubernetes/pkg/client/informers/informers_generated/internalversion"
	"k8s.io/kubernetes/plugin/pkg/admission/serviceaccount"
)

const (
	admissionNamespace = "default"
	// accountUID links the service account and its token's secret.
	accountUID = "00000000-0000-0000-0000-000000000000"
)

// podAttributes are those of a request to create a Pod; the plugin asks for no
// others.
type podAttributes struct {
	admission.Attributes
	pod *api.Pod
}

func (a podAttributes) GetObject() runtime.Object { return a.pod }
func (a podAttributes) GetName() string           { return a.pod.Name }
func (a podAttributes) GetNamespace() string      { return admissionNamespace }
func (a podAttributes) GetSubresource() string    { return "" }
func (a podAttributes) GetOperation() admission.Operation {
	return admission.Create
}
func (a podAttributes) GetKind() schema.GroupVersionKind {
	return api.Kind("Pod").WithVersion("version")
}
func (a podAttributes) GetResource() schema.GroupVersionResource {
	return api.Resource("pods").WithVersion("version")
}

func init() {
	kube.admitPod = func(internal interface{}) error {
		pod := internal.(*api.Pod)
		account := pod.Spec.ServiceAccountName
		if account == "" {
			account = serviceaccount.DefaultServiceAccountName
		}
		before := map[string]bool{}
		for _, volume := range pod.Spec.Volumes {
			before[volume.Name] = true
		}
		if err := serviceAccountPlugin(account).Admit(podAttributes{pod: pod}); err != nil {
			return err
		}
		for i := range pod.Spec.Volumes {
			if name := pod.Spec.Volumes[i].Name; !before[name] {
				renameVolume(pod, name, withoutRandom(name))
			}
		}
		return nil
	}
}

// serviceAccountPlugin is the plugin with one service account and one token
// secret, named as the token controller names it.
func serviceAccountPlugin(account string) interface {
	Admit(admission.Attributes) error
} {
	secret := &api.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:      account + "-token-00000",
			Namespace: admissionNamespace,
			Annotations: map[string]string{
				api.ServiceAccountNameKey: account,
				api.ServiceAccountUIDKey:  accountUID,
			},
		},
		Type: api.SecretTypeServiceAccountToken,
		Data: map[string][]byte{api.ServiceAccountTokenKey: []byte("token")},
	}
	factory := informers.NewSharedInformerFactory(nil, 0)
	plugin := serviceaccount.NewServiceAccount()
	plugin.SetInternalKubeInformerFactory(factory)
	factory.Core().InternalVersion().Secrets().Informer().GetIndexer().Add(secret)
	factory.Core().InternalVersion().ServiceAccounts().Informer().GetIndexer().Add(&api.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: account, Namespace: admissionNamespace, UID: accountUID},
		Secrets:    []api.ObjectReference{{Name: secret.Name}},
	})
	return plugin
}

// withoutRandom replaces the five random characters that the plugin's name
// generator put behind the last dash.
func withoutRandom(name string) string {
	if i := strings.LastIndex(name, "-"); i >= 0 {
		return name[:i+1] + "00000"
	}
	return name
}

func renameVolume(pod *api.Pod, from, to string) {
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].Name == from {
			pod.Spec.Volumes[i].Name = to
		}
	}
	for _, containers := range [][]api.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			for j := range containers[i].VolumeMounts {
				if containers[i].VolumeMounts[j].Name == from {
					containers[i].VolumeMounts[j].Name = to
				}
			}
		}
	}
}
