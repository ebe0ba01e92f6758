package configstore

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// FuzzParseDocument holds the reader to three promises: it never panics; what it
// accepts means the same after it was written and read again; and its errors
// name a place within the text.
func FuzzParseDocument(f *testing.F) {
	for _, seed := range []string{
		"", "{}", strange, "\uFEFF{\"graphs\":[]}", `{"version":2}`, `{"version":1,"graphs":[{}]}`, `{"graphs":[1,null,[],"x"]}`,
		`{"a":{"b":1,"b":2},"graphs":[{"a":1,"a":2}]}`, `{"\u0067raphs":[{"name":"a","t\u006fken":"TOKEN","nickname":"\ud83d\ude00"}]}`,
		`{"graphs":[{"name":"a","type":"offline","token":"TOKEN","nickname":"A","accessLevel":"x","disabled":true},{"name":"a","token":"TOKEN","nickname":"a"}]}`,
		"{\"a\":1,\n\"a\":2}", `{"version":1e999}`, `{"history":{"texts":"of","days":7},"graphs":[{"name":"a","token":"TOKEN","nickname":"A","history":1}]}`, "\xFF\xFE{", "{\"\xFF\":1}",
	} {
		f.Add([]byte(strings.ReplaceAll(seed, "TOKEN", tokenText(""))))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := parseDocument("file", text)
		if err != nil {
			e, ok := problem.As(err)
			if !ok || e.Place == nil || e.Place.Line < 1 || e.Place.Column < 1 || e.Place.Line > bytes.Count(text, []byte("\n"))+1 {
				t.Fatalf("got %#v", err)
			}
			if e.Place.Mark > utf8.RuneCountInString(e.Place.Text) || strings.ContainsAny(e.Place.Text, "\r\n\x1b") || strings.Contains(e.Place.Text, localapi.TokenPrefix) {
				t.Fatalf("it shows %q and marks %d", e.Place.Text, e.Place.Mark)
			}
			return
		}
		written, err := d.encode()
		require.NoError(t, err)
		again, err := parseDocument("file", written)
		if err != nil {
			t.Fatalf("what was written can't be read: %v\n%s", err, written)
		}
		if got, want := withoutLines(again), withoutLines(d); !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v\nwant %+v", got, want)
		}
		wantSameJSON(t, text, written)
		checkEdit(t, d)
	})
}

// checkEdit saves an entry into the document and looks whether all else stayed.
func checkEdit(t *testing.T, d *document) {
	before := withoutLines(d)
	e := entry(t, "fuzz-graph-of-its-own", before.UniqueNickname("Fuzz"))
	if _, exists := before.FindGraph(e.Graph()); exists || d.elementOf(e.Graph()) >= 0 {
		return
	}
	require.NoError(t, d.save(e))
	after := withoutLines(d)
	if len(after.Entries) != len(before.Entries)+1 || !slices.Equal(after.Entries[:len(before.Entries)], before.Entries) || after.Entries[len(before.Entries)] != e {
		t.Fatalf("got %+v after %+v", after, before)
	}
	if !reflect.DeepEqual(after.Problems, before.Problems) {
		t.Fatalf("got problems %+v after %+v", after.Problems, before.Problems)
	}
}

// withoutLines drops the line numbers, which writing changes.
func withoutLines(d *document) Config {
	for i := range d.graphs {
		d.graphs[i].line = 0
	}
	if d.historyFlaw != nil {
		d.historyFlaw.line = 0
	}
	c, _ := d.config()
	return c
}

// wantSameJSON compares two texts in their order of keys and spelling of values.
func wantSameJSON(t *testing.T, a, b []byte) {
	var compactA, compactB bytes.Buffer
	require.NoError(t, json.Compact(&compactA, bytes.TrimPrefix(a, []byte("\uFEFF"))))
	require.NoError(t, json.Compact(&compactB, b))
	if !bytes.Equal(compactA.Bytes(), compactB.Bytes()) {
		t.Fatalf("got  %s\nwant %s", compactB.Bytes(), compactA.Bytes())
	}
}
