package main

// Shim, 1.11 to 1.37: the device manager's checkpoint, and what the shims of
// other checkpoints have in common: the checkpoint manager, and calls of
// functions whose parameters differ between releases.

import (
	"reflect"

	"k8s.io/kubernetes/pkg/kubelet/checkpointmanager"
	devices "k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/checkpoint"
)

func deviceFormats() []checkpointFormat {
	return []checkpointFormat{{
		fresh: func() checkpoint { return devices.New([]devices.PodDevicesEntry{}, map[string][]string{}) },
		sums:  ofField("Data"),
	}}
}

func allDeviceFormats() []checkpointFormat {
	return andOlder(deviceFormats(), kube.deviceCheckpointV1)
}

func init() {
	kube.deviceCheckpoint = &checkpointForm{
		file:    "kubelet_internal_checkpoint",
		formats: allDeviceFormats,
		restore: restoreDevices,
	}
}

// restoreDevices does what readCheckpoint does: it tries the formats, the newest
// first, whose error counts. What was read is written in the newest.
func restoreDevices(dir string, r *request) (func() error, error) {
	manager, err := checkpointmanager.NewCheckpointManager(dir)
	if err != nil {
		return nil, err
	}
	var first error
	for _, format := range allDeviceFormats() {
		cp := format.fresh()
		err := manager.GetCheckpoint("kubelet_internal_checkpoint", cp)
		if err == nil {
			data := reflect.ValueOf(cp).MethodByName("GetDataInLatestFormat")
			if !data.IsValid() {
				data = reflect.ValueOf(cp).MethodByName("GetData")
			}
			latest := reflect.ValueOf(devices.New).Call(data.Call(nil))[0].Interface().(checkpointmanager.Checkpoint)
			return func() error { return manager.CreateCheckpoint("kubelet_internal_checkpoint", latest) }, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// throughManager restores a file that the kubelet never writes again.
func throughManager(file string, fresh func() checkpoint) func(string, *request) (func() error, error) {
	return func(dir string, r *request) (func() error, error) {
		manager, err := checkpointmanager.NewCheckpointManager(dir)
		if err != nil {
			return nil, err
		}
		return nil, manager.GetCheckpoint(file, fresh())
	}
}

// callWith calls a function or method with values for its parameters in order;
// parameters of other types, such as a logger, get their zero value. An error
// among the results is returned beside the first.
func callWith(f reflect.Value, values ...interface{}) (reflect.Value, error) {
	in := []reflect.Value{}
	for i := 0; i < f.Type().NumIn(); i++ {
		wanted := f.Type().In(i)
		if len(values) > 0 && reflect.TypeOf(values[0]).AssignableTo(wanted) {
			in = append(in, reflect.ValueOf(values[0]))
			values = values[1:]
		} else {
			in = append(in, reflect.Zero(wanted))
		}
	}
	out := f.Call(in)
	var err error
	if len(out) > 0 {
		if last := out[len(out)-1]; last.Kind() == reflect.Interface && !last.IsNil() {
			err, _ = last.Interface().(error)
		}
		return out[0], err
	}
	return reflect.Value{}, nil
}

// again sets what a state holds to what it holds, which makes it write its file.
func again(state reflect.Value, what string) func() error {
	return func() error {
		held, _ := callWith(state.MethodByName("Get" + what))
		_, err := callWith(state.MethodByName("Set"+what), held.Interface())
		return err
	}
}
