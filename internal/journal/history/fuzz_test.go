package history

import (
	"bytes"
	"testing"
)

// FuzzFiles parses what other processes, or nobody we know, may have put into the folder.
func FuzzFiles(f *testing.F) {
	j := New(Options{})
	packed, err := j.packer.deflate(facts(1))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{
		nil, []byte(`{"servers":3,"calls":48}`), []byte(`{"servers":-1,"calls":1e99}`), []byte("server 7 (process 4711)   \n"),
		[]byte("process 4711\n"), []byte("server 7 (process 4711) \x1b[31m"), []byte("12.lock"), []byte("012.lock"), []byte("-1.lock"), []byte(`["a"]`), packed,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if n := parseNumbers(data); min(n.Servers, n.Calls) < 0 || max(n.Servers, n.Calls) > mostNumber {
			t.Errorf("numbers %+v", n)
		}
		if holder := parseHolder(data); len(holder) > holderSize || bytes.ContainsFunc([]byte(holder), func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("holder %q", holder)
		}
		if id, ok := serverOfLock(string(data)); ok && j.serverLock(id) != j.serverFolder()+"/"+string(data) && j.serverLock(id) != j.serverFolder()+`\`+string(data) {
			t.Errorf("the lock of server %d is not %q", id, data)
		}
		if len(parseLacks(string(data))) > len(data) {
			t.Error("more than there is")
		}
		for _, size := range []int64{-1, 0, int64(len(data)), 300, mostBody + 1} {
			if content, err := inflate(data, size); err == nil && int64(len(content)) != size {
				t.Errorf("%d bytes for %d", len(content), size)
			}
		}
		if again, err := j.packer.deflate(data); err != nil {
			t.Error(err)
		} else if content, err := inflate(again, int64(len(data))); err != nil || !bytes.Equal(content, data) {
			t.Errorf("%q became %q, %v", data, content, err)
		}
	})
}
