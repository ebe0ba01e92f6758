package clients

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"roam-mcp/internal/testutil/require"
)

func FuzzJSON(f *testing.F) { fuzz(f, formatJSON, "json") }

func FuzzTOML(f *testing.F) { fuzz(f, formatTOML, "toml") }

// fuzz puts entries into documents, which begin as those of testdata.
func fuzz(f *testing.F, format fileFormat, name string) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	require.NoError(f, err)
	for _, file := range archive.Files {
		f.Add(string(file.Data), "roam", "/opt/roam-mcp")
		f.Add(strings.ReplaceAll(string(file.Data), "\n", "\r\n"), "x y", `C:\roam "1".exe`)
	}
	f.Fuzz(func(t *testing.T, document, name, command string) {
		at := placeOf[format]
		at.Name = name
		entry := entryFields{{"command", command}, {"args", []string{"serve", name}}, {"env", entryFields{}}, {"on", true}}
		checkEdit(t, document, at, entry)
	})
}

// checkEdit holds putEntry, removeEntry and listServers to what they promise.
func checkEdit(t *testing.T, document string, at entryPlace, entry entryFields) {
	before, err := listServers([]byte(document), at)
	if err != nil && !errors.Is(err, errUnreadable) {
		t.Fatalf("listServers: %v", err)
	}
	if removed, err := removeEntry([]byte(document), at); err != nil && !errors.Is(err, errUnreadable) {
		t.Fatalf("removeEntry: %v", err)
	} else if err == nil && !named(before, at.Name) && string(removed) != document {
		t.Fatalf("removing what is not there changes %q to %q", document, removed)
	}
	put, err := putEntry([]byte(document), at, entry)
	if err != nil {
		if !errors.Is(err, errUnreadable) && !errors.Is(err, errEntry) {
			t.Fatalf("putEntry: %v", err)
		}
		return
	}
	if again, err := putEntry(put, at, entry); err != nil || string(again) != string(put) {
		t.Fatalf("put again: %v\n%q, was\n%q", err, again, put)
	}
	after, err := listServers(put, at)
	if err != nil || !named(after, at.Name) {
		t.Fatalf("listServers: %v of %q in %q", err, after, put)
	}
	removed, err := removeEntry(put, at)
	if err != nil {
		if !named(before, at.Name) {
			t.Fatalf("removeEntry: %v from %q, was %q", err, put, document)
		}
		return
	}
	if left, err := listServers(removed, at); err != nil || named(left, at.Name) {
		t.Fatalf("%q is left in %q: %v", left, removed, err)
	}
	if !named(before, at.Name) && !hasEmptyPlace(t, document, at) && string(removed) != document {
		t.Fatalf("removed is %q, was %q, put in %q", removed, document, put)
	}
}

func named(all []foundServer, name string) bool {
	for _, f := range all {
		if f.Name == name {
			return true
		}
	}
	return false
}

// hasEmptyPlace reports whether the document has something empty on the way to the
// servers, or is empty as a whole, which removeEntry leaves out.
func hasEmptyPlace(t *testing.T, document string, at entryPlace) bool {
	if blank([]byte(document)) {
		return true
	}
	if at.Format == formatTOML {
		return false
	}
	d, err := parseJSON(document, at)
	require.NoError(t, err)
	root := jsonNatural(d.top)
	for _, key := range at.Path {
		o, isObject := root.(map[string]any)
		if value, ok := o[key]; isObject && ok {
			root = value
			continue
		}
		return isObject && len(o) == 0
	}
	return root == nil || len(mapOf(root)) == 0
}
