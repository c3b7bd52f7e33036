// Package factory stands in for the real one, which draws in etcd and grpc at
// revisions that cannot be had. Registry strategies name its types and never
// create a storage.
package factory

import (
	"errors"

	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
)

// DestroyFunc is as in the real package.
type DestroyFunc func()

// Create always fails.
func Create(c storagebackend.Config) (storage.Interface, DestroyFunc, error) {
	return nil, nil, errors.New("a reference has no storage")
}
