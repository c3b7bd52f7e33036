package main

// Shim, 1.20 (late patches) to 1.30: the device manager's checkpoint as it was
// until 1.19.

import devices "k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/checkpoint"

func init() {
	kube.deviceCheckpointV1 = func() checkpointFormat {
		return checkpointFormat{
			fresh: func() checkpoint { return devices.NewV1([]devices.PodDevicesEntryV1{}, map[string][]string{}) },
			sums: ofField("Data", rename{"checkpointDataV1", "checkpointData", 1},
				rename{"PodDevicesEntryV1", "PodDevicesEntry", -1}),
		}
	}
}
