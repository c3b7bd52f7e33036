package main

// Shim, 1.28 to 1.30: what VerifyChecksum of the DRA manager's checkpoint dumps
// when the checksum is not right: the struct of 1.27.

import dra "k8s.io/kubernetes/pkg/kubelet/cm/dra/state"

var olderDRA = []interface{}{dra.DRAManagerCheckpointWithoutResourceHandles{}}
