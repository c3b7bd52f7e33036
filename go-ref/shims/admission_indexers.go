package main

// Shim, 1.1 to 1.5: the ServiceAccount admission plugin, called as the API server
// calls it, with a service account and its token in its caches, which are private
// fields here. What a request's attributes look like is in admission_attributes_*.

import (
	"reflect"
	"strings"
	"unsafe"

	"k8s.io/kubernetes/pkg/api"
	"k8s.io/kubernetes/pkg/client/cache"
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
		secret := &api.Secret{
			ObjectMeta: api.ObjectMeta{
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
		plugin := serviceaccount.NewServiceAccount(nil)
		indexerOf(plugin, "secrets").Add(secret)
		indexerOf(plugin, "serviceAccounts").Add(&api.ServiceAccount{
			ObjectMeta: api.ObjectMeta{Name: account, Namespace: admissionNamespace, UID: accountUID},
			Secrets:    []api.ObjectReference{{Name: secret.Name}},
		})
		if err := plugin.Admit(podAttributes{pod: pod}); err != nil {
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

// indexerOf reads a private field of the plugin.
func indexerOf(plugin interface{}, field string) cache.Indexer {
	value := reflect.ValueOf(plugin).Elem().FieldByName(field)
	return *(*cache.Indexer)(unsafe.Pointer(value.UnsafeAddr()))
}

// withoutRandom replaces the five random characters that the name generator put
// behind the last dash.
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
	// By reflection, because init containers are younger than 1.1.
	for _, field := range []string{"InitContainers", "Containers"} {
		containers := reflect.ValueOf(&pod.Spec).Elem().FieldByName(field)
		if !containers.IsValid() {
			continue
		}
		for i := 0; i < containers.Len(); i++ {
			mounts := containers.Index(i).Addr().Interface().(*api.Container).VolumeMounts
			for j := range mounts {
				if mounts[j].Name == from {
					mounts[j].Name = to
				}
			}
		}
	}
}
