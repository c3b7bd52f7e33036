package main

// Shim, 1.16 to 1.37: the ServiceAccount admission plugin, called as the API
// server calls it, with a service account and its token in its caches.

import (
	"context"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/component-base/featuregate"
	api "k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/serviceaccount"
)

const (
	admissionNamespace = "default"
	// accountUID links the service account and its token's secret.
	accountUID = "00000000-0000-0000-0000-000000000000"
)

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
		attributes := admission.NewAttributesRecord(pod, nil, api.Kind("Pod").WithVersion("version"),
			admissionNamespace, pod.Name, api.Resource("pods").WithVersion("version"), "",
			admission.Create, &metav1.CreateOptions{}, false, nil)
		if err := serviceAccountPlugin(account).Admit(context.Background(), attributes, nil); err != nil {
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
// secret, named as the token controller of older releases names it.
func serviceAccountPlugin(account string) *serviceaccount.Plugin {
	secret := &v1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:      account + "-token-00000",
			Namespace: admissionNamespace,
			Annotations: map[string]string{
				v1.ServiceAccountNameKey: account,
				v1.ServiceAccountUIDKey:  accountUID,
			},
		},
		Type: v1.SecretTypeServiceAccountToken,
		Data: map[string][]byte{v1.ServiceAccountTokenKey: []byte("token")},
	}
	factory := informers.NewSharedInformerFactory(nil, 0)
	plugin := serviceaccount.NewServiceAccount()
	if p, ok := interface{}(plugin).(interface {
		InspectFeatureGates(featuregate.FeatureGate)
	}); ok {
		p.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	}
	plugin.SetExternalKubeInformerFactory(factory)
	factory.Core().V1().Secrets().Informer().GetIndexer().Add(secret)
	factory.Core().V1().ServiceAccounts().Informer().GetIndexer().Add(&v1.ServiceAccount{
		ObjectMeta: metav1.ObjectMeta{Name: account, Namespace: admissionNamespace, UID: accountUID},
		Secrets:    []v1.ObjectReference{{Name: secret.Name}},
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
