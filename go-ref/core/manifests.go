package main

import (
	"bytes"
	"fmt"
	"io/ioutil"
	"os"
	"path/filepath"
	"strings"
)

// staticPods is how kubeadm compares manifests of static Pods.
type staticPods struct {
	equal func(path1, path2 string) (equal bool, difference string, err error)
}

// manifestsDir stands in messages where the temporary directory was.
const manifestsDir = "/etc/kubernetes/manifests"

// answerStaticPods compares two manifests.
func answerStaticPods(r *request, a *answer) error {
	if len(r.Texts) != 2 {
		return fmt.Errorf("texts: two are compared, not %d", len(r.Texts))
	}
	dir, err := ioutil.TempDir("", "manifests")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var paths [2]string
	for i, text := range r.Texts {
		paths[i] = filepath.Join(dir, fmt.Sprintf("%d.yaml", i+1))
		if err := ioutil.WriteFile(paths[i], []byte(text), 0600); err != nil {
			return err
		}
	}
	equal, difference, err := kube.staticPods.equal(paths[0], paths[1])
	if err != nil {
		return fmt.Errorf("%s", strings.Replace(err.Error(), dir, manifestsDir, -1))
	}
	a.put("equal", equal)
	if difference != "" {
		a.put("difference", difference)
	}
	if !r.Preimage || kube.staticPodDump == nil {
		return nil
	}
	var dumps [2]recorder
	for i, path := range paths {
		if err := kube.staticPodDump(path, &dumps[i]); err != nil {
			return err
		}
	}
	if bytes.Equal(dumps[0].written, dumps[1].written) != equal {
		return fmt.Errorf("the recorded preimages are not what the real function compares")
	}
	return a.put("preimages", []string{string(dumps[0].written), string(dumps[1].written)})
}
