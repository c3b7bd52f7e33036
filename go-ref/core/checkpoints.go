package main

import (
	"encoding/json"
	"fmt"
	"hash"
	"hash/fnv"
	"io/ioutil"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// checkpoint is what all structs of checkpoint files have in common.
type checkpoint interface {
	MarshalCheckpoint() ([]byte, error)
	UnmarshalCheckpoint(blob []byte) error
	VerifyChecksum() error
}

// checkpointForm is one kind of file in which a kubelet keeps something over a
// restart, with a checksum that is the hash of a dump of what it keeps.
type checkpointForm struct {
	// file is its name.
	file string
	// formats are the structs that the release knows for it; the first is the
	// one it writes.
	formats func() []checkpointFormat
	// restore is what a kubelet that starts does with the file in a directory.
	// save makes it write the file again; nil if it never does.
	restore func(dir string, r *request) (save func() error, err error)
}

// checkpointFormat is one struct.
type checkpointFormat struct {
	// fresh makes one as the kubelet makes it to read into.
	fresh func() checkpoint
	// as is a value of the release's type, where fresh makes one of ours around it.
	as interface{}
	// seal makes one with the right checksum out of one that was read, where
	// MarshalCheckpoint does not do it.
	seal func(read checkpoint) (checkpoint, error)
	// lenient reads one whose UnmarshalCheckpoint wants the checksum to be right.
	lenient bool
	sums    []checkpointSum
	// others are values of types that matter but cannot be reached from the
	// struct: what a text in it holds, what older files are dumped as.
	others []interface{}
}

// checkpointSum is one checksum in the struct.
type checkpointSum struct {
	// field holds it. It is 0 in the dump.
	field string
	// hashed is what the real code dumps.
	hashed func(cp reflect.Value) interface{}
	// bytes is what it hashes where there is no dump.
	bytes func(cp reflect.Value) []byte
	// renames are what the real code does to the dump.
	renames []rename
	// digest is fnv.New32a if nil.
	digest func() hash.Hash32
	// onlyVerified says that MarshalCheckpoint writes another checksum than the
	// one VerifyChecksum wants.
	onlyVerified bool
}

// rename is an older name in place of a newer one, count times (-1: always).
type rename struct {
	from, to string
	count    int
}

type checksumAnswer struct {
	Field    string `json:"field"`
	Hash     uint64 `json:"hash"`
	Preimage string `json:"preimage,omitempty"`
}

type formatAnswer struct {
	Type      string           `json:"type"`
	Refused   string           `json:"refused,omitempty"`
	Written   string           `json:"written,omitempty"`
	Checksums []checksumAnswer `json:"checksums,omitempty"`
}

// kubeletDir stands in messages where the temporary directory was.
const kubeletDir = "/var/lib/kubelet"

// answerCheckpoint tells what the release makes of a checkpoint file.
func answerCheckpoint(r *request, a *answer) error {
	var form *checkpointForm
	for _, c := range checkpoints() {
		if c.name == r.Form {
			form = c.form
		}
	}
	if form == nil {
		return skipped("no checkpoint " + r.Form + " in " + releaseName)
	}
	stored, refused, err := form.start(r, []byte(r.Text))
	if err != nil {
		return err
	}
	a.put("accepted", refused == "")
	if refused != "" {
		a.put("refused", refused)
	} else if stored != nil {
		a.put("stored", string(stored))
	}
	formats := []formatAnswer{}
	var written []byte
	for i, format := range form.formats() {
		f, sealed, err := format.ask(r)
		if err != nil {
			return err
		}
		formats = append(formats, f)
		if written != nil || sealed == nil {
			continue
		}
		if written = sealed; i > 0 {
			if written, err = form.migrated(r, sealed); err != nil {
				return err
			}
		}
	}
	if written != nil {
		a.put("written", string(written))
	}
	return a.put("formats", formats)
}

// typ is the release's type.
func (format *checkpointFormat) typ() reflect.Type {
	if format.as != nil {
		return reflect.TypeOf(format.as)
	}
	return reflect.TypeOf(format.fresh()).Elem()
}

// migrated is what the release writes after it restored a file of an older
// format: the sealed one, or else the text as it is.
func (form *checkpointForm) migrated(r *request, sealed []byte) ([]byte, error) {
	stored, refused, err := form.start(r, sealed)
	if err == nil && refused != "" {
		stored, _, err = form.start(r, []byte(r.Text))
	}
	return stored, err
}

// start lets a kubelet start with the file and save what it restored.
func (form *checkpointForm) start(r *request, text []byte) (stored []byte, refused string, err error) {
	dir, err := ioutil.TempDir("", "kubelet")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, form.file)
	if err := ioutil.WriteFile(path, text, 0600); err != nil {
		return nil, "", err
	}
	err = attempt(func() error {
		save, err := form.restore(dir, r)
		if err == nil && save != nil {
			if err = save(); err == nil {
				stored, err = ioutil.ReadFile(path)
			}
		}
		return err
	})
	if err != nil {
		return nil, strings.Replace(err.Error(), dir, kubeletDir, -1), nil
	}
	return stored, "", nil
}

// ask reads the text as one format, and writes it. sealed is nil if the text is
// not of the format.
func (format *checkpointFormat) ask(r *request) (f formatAnswer, sealed []byte, err error) {
	cp := format.fresh()
	f.Type = format.typ().String()
	readable := true
	if err := attempt(func() error { return cp.UnmarshalCheckpoint([]byte(r.Text)) }); err != nil {
		f.Refused = err.Error()
		if readable = format.lenient; readable {
			cp = format.fresh()
			readable = json.Unmarshal([]byte(r.Text), cp) == nil
		}
	} else if err := attempt(cp.VerifyChecksum); err != nil {
		f.Refused = err.Error()
	}
	if !readable {
		return f, nil, nil
	}
	if format.seal != nil {
		if attempt(func() (err error) { cp, err = format.seal(cp); return err }) != nil {
			return f, nil, nil
		}
	}
	if attempt(func() (err error) { sealed, err = cp.MarshalCheckpoint(); return err }) != nil {
		return f, nil, nil
	}
	f.Written = string(sealed)
	for _, sum := range format.sums {
		c, err := sum.of(cp, r.Preimage)
		if err != nil {
			return f, nil, err
		}
		f.Checksums = append(f.Checksums, c)
	}
	return f, sealed, nil
}

// of records the dump and holds its hash against what the real code wrote, or
// lets the real code verify it.
func (sum *checkpointSum) of(cp checkpoint, preimage bool) (checksumAnswer, error) {
	v := reflect.ValueOf(cp).Elem()
	field := v.FieldByName(sum.field)
	real := field.Uint()
	field.SetUint(0)
	var text []byte
	if sum.bytes != nil {
		text = sum.bytes(v)
	} else {
		text = recordDeepHash(sum.hashed(v))
	}
	for _, r := range sum.renames {
		text = []byte(strings.Replace(string(text), r.from, r.to, r.count))
	}
	var digest hash.Hash32 = fnv.New32a()
	if sum.digest != nil {
		digest = sum.digest()
	}
	digest.Write(text)
	got := uint64(digest.Sum32())
	field.SetUint(got)
	if sum.onlyVerified {
		if err := cp.VerifyChecksum(); err != nil {
			return checksumAnswer{}, fmt.Errorf("the recorded preimage has the checksum %d: %v", got, err)
		}
	} else if got != real {
		return checksumAnswer{}, fmt.Errorf("the recorded preimage has the checksum %d, the real function says %d", got, real)
	}
	c := checksumAnswer{Field: sum.field, Hash: got}
	if preimage {
		c.Preimage = string(text)
	}
	return c, nil
}

// attempt turns a panic into an error: a kubelet does not survive it.
func attempt(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// andOlder adds an older format, if the release reads it.
func andOlder(formats []checkpointFormat, older func() checkpointFormat) []checkpointFormat {
	if older == nil {
		return formats
	}
	return append(formats, older())
}

// namedCheckpoint is a form by the name that requests have for it.
type namedCheckpoint struct {
	name string
	form *checkpointForm
}

// checkpoints are the forms that the release has, by name.
func checkpoints() []namedCheckpoint {
	all := []namedCheckpoint{
		{"cpu-manager", kube.cpuCheckpoint},
		{"device-manager", kube.deviceCheckpoint},
		{"dra-manager", kube.draCheckpoint},
		{"memory-manager", kube.memoryCheckpoint},
		{"pod", kube.podCheckpoint},
		{"pod-allocation", kube.allocationCheckpoint},
		{"sandbox", kube.sandboxCheckpoint},
	}
	known := all[:0]
	for _, c := range all {
		if c.form != nil {
			known = append(known, c)
		}
	}
	return known
}

// The ways in which checksums are taken.

// ofItself dumps the pointer to the struct, maybe under another name.
func ofItself(renames ...rename) []checkpointSum {
	return []checkpointSum{{field: "Checksum", renames: renames, hashed: func(cp reflect.Value) interface{} {
		return cp.Addr().Interface()
	}}}
}

// ofField dumps the value of a field, or what it points to.
func ofField(name string, renames ...rename) []checkpointSum {
	return []checkpointSum{{field: "Checksum", renames: renames, hashed: func(cp reflect.Value) interface{} {
		return reflect.Indirect(cp.FieldByName(name)).Interface()
	}}}
}

// ofEmbedded is of a struct with two checksums: of an embedded older format
// under its older name, and of the text that holds the data.
func ofEmbedded(name, to string) []checkpointSum {
	return []checkpointSum{
		{field: "Checksum", renames: []rename{{name, to, 1}}, hashed: func(cp reflect.Value) interface{} {
			return cp.FieldByName(name).Addr().Interface()
		}},
		{field: "DataChecksum", hashed: func(cp reflect.Value) interface{} { return cp.FieldByName("Data").Interface() }},
	}
}

// schemaCheckpoint tells the types of a form.
type schemaCheckpoint struct {
	Form    string         `json:"form"`
	File    string         `json:"file"`
	Formats []schemaFormat `json:"formats"`
}

type schemaFormat struct {
	Type   string   `json:"type"`
	Others []string `json:"others,omitempty"`
}

func (w *schemaWalk) checkpoints() []schemaCheckpoint {
	list := []schemaCheckpoint{}
	for _, c := range checkpoints() {
		entry := schemaCheckpoint{Form: c.name, File: c.form.file}
		for _, format := range c.form.formats() {
			f := schemaFormat{Type: w.ref(format.typ())}
			for _, other := range format.others {
				f.Others = append(f.Others, w.ref(reflect.TypeOf(other)))
			}
			entry.Formats = append(entry.Formats, f)
		}
		list = append(list, entry)
	}
	return list
}
