package main

// Shim, from 1.31: the DRA manager's checkpoint, whose checksum is CRC-32 of a text.

import (
	"hash"
	"hash/crc32"
	"reflect"

	dra "k8s.io/kubernetes/pkg/kubelet/cm/dra/state"
)

func init() {
	seal := func(cp *dra.Checkpoint) (*dra.Checkpoint, error) {
		claims, err := cp.GetClaimInfoStateList()
		if err != nil {
			return nil, err
		}
		return dra.NewCheckpoint(claims)
	}
	kube.draCheckpoint = &checkpointForm{
		file: "dra_manager_state",
		formats: func() []checkpointFormat {
			return []checkpointFormat{{
				fresh:   func() checkpoint { return &dra.Checkpoint{} },
				lenient: true,
				seal:    func(read checkpoint) (checkpoint, error) { return seal(read.(*dra.Checkpoint)) },
				sums: []checkpointSum{{
					field:  "Checksum",
					bytes:  func(cp reflect.Value) []byte { return []byte(cp.FieldByName("Data").String()) },
					digest: func() hash.Hash32 { return crc32.NewIEEE() },
				}},
				others: []interface{}{dra.CheckpointData{}},
			}}
		},
		restore: func(dir string, r *request) (func() error, error) {
			files, err := dra.NewCheckpointer(dir, "dra_manager_state")
			if err != nil {
				return nil, err
			}
			read, err := files.GetOrCreate()
			if err != nil {
				return nil, err
			}
			latest, err := seal(read)
			return func() error { return files.Store(latest) }, err
		},
	}
}
