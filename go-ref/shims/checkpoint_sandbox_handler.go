package main

// Shim, 1.8 to 1.10: dockershim's checkpoint of a Pod's sandbox, which its own
// handler writes and reads. The whole struct is dumped.

import (
	"encoding/json"
	"io/ioutil"
	"os"
	"path/filepath"
	"reflect"

	"k8s.io/kubernetes/pkg/kubelet/dockershim"
)

// sandboxFile gives the release's struct the methods of later checkpoints.
type sandboxFile struct {
	dockershim.PodSandboxCheckpoint
}

func (f *sandboxFile) UnmarshalCheckpoint(blob []byte) error {
	return json.Unmarshal(blob, &f.PodSandboxCheckpoint)
}

func (f *sandboxFile) MarshalCheckpoint() (blob []byte, err error) {
	err = withSandboxHandler(func(handler dockershim.CheckpointHandler, path string) error {
		if err := handler.CreateCheckpoint(filepath.Base(path), &f.PodSandboxCheckpoint); err != nil {
			return err
		}
		blob, err = ioutil.ReadFile(path)
		return err
	})
	return blob, err
}

func (f *sandboxFile) VerifyChecksum() error {
	return withSandboxHandler(func(handler dockershim.CheckpointHandler, path string) error {
		blob, err := json.Marshal(&f.PodSandboxCheckpoint)
		if err != nil {
			return err
		}
		return readSandbox(handler, path, blob)
	})
}

// readSandbox lets a handler read a file.
func readSandbox(handler dockershim.CheckpointHandler, path string, blob []byte) error {
	if err := ioutil.WriteFile(path, blob, 0600); err != nil {
		return err
	}
	_, err := handler.GetCheckpoint(filepath.Base(path))
	return err
}

// withSandboxHandler calls with a handler, and where the file of a sandbox is.
func withSandboxHandler(f func(handler dockershim.CheckpointHandler, path string) error) error {
	dir, err := ioutil.TempDir("", "dockershim")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	handler, err := dockershim.NewPersistentCheckpointHandler(dir)
	if err != nil {
		return err
	}
	return f(handler, filepath.Join(dir, "sandbox", "id"))
}

func init() {
	kube.sandboxCheckpoint = &checkpointForm{
		file: "sandbox",
		formats: func() []checkpointFormat {
			return []checkpointFormat{{
				fresh: func() checkpoint { return &sandboxFile{} },
				as:    dockershim.PodSandboxCheckpoint{},
				sums: []checkpointSum{{field: "CheckSum", hashed: func(cp reflect.Value) interface{} {
					return cp.FieldByName("PodSandboxCheckpoint").Interface()
				}}},
			}}
		},
		restore: func(dir string, r *request) (func() error, error) {
			return nil, withSandboxHandler(func(handler dockershim.CheckpointHandler, path string) error {
				return readSandbox(handler, path, []byte(r.Text))
			})
		},
	}
}
