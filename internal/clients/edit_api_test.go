package clients

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func TestListServers(t *testing.T) {
	list := func(at entryPlace) entryPlace { at.List = true; return at }
	for name, tc := range map[string]struct {
		at       entryPlace
		document string
		want     []foundServer
	}{
		"gives values of all kinds of JSON": {placeOf[formatJSON], `{"mcpServers": {"z": {"a": [1, 2.5, true, null, "\u0041"], "e": {"K": "V"}}, "a": 1}}`,
			[]foundServer{{Name: "z", Values: map[string]any{"a": []any{int64(1), 2.5, true, nil, "A"}, "e": map[string]any{"K": "V"}}}, {Name: "a"}}},
		"gives values of all kinds of TOML": {placeOf[formatTOML], "[mcp_servers.z]\na = [1, 2.5, true]\n[mcp_servers]\na.c = \"x\"\n",
			[]foundServer{{Name: "a", Values: map[string]any{"c": "x"}}, {Name: "z", Values: map[string]any{"a": []any{int64(1), 2.5, true}}}}},
		"gives values of all kinds of YAML": {placeOf[formatYAML], "extensions:\n  z: {a: [1, 2.5, true, ~, 'A'], d: x}\n  a:\n",
			[]foundServer{{Name: "a"}, {Name: "z", Values: map[string]any{"a": []any{1, 2.5, true, nil, "A"}, "d": "x"}}}},
		"gives the names of a list":            {list(placeOf[formatYAML]), "extensions:\n- name: x\n- y: 1\n- 2\n", []foundServer{{Name: "x", Values: map[string]any{"name": "x"}}}},
		"gives the names of a list in TOML":    {list(placeOf[formatTOML]), "[[mcp_servers]]\nname = 'x'\n", []foundServer{{Name: "x", Values: map[string]any{"name": "x"}}}},
		"gives nothing of a place not there":   {placeOf[formatJSON], `{"mcp": {}}`, nil},
		"gives nothing of an empty document":   {placeOf[formatJSON], "", nil},
		"gives nothing of a byte order mark":   {placeOf[formatJSON], "\uFEFF\r\n", nil},
		"gives nothing of a null":              {placeOf[formatYAML], "extensions:\n", nil},
		"gives both of a name that is twice":   {placeOf[formatJSON], `{"mcpServers": {"a": {}, "a": {}}}`, []foundServer{{Name: "a", Values: map[string]any{}}, {Name: "a", Values: map[string]any{}}}},
		"takes a comment at an end for one":    {placeOf[formatJSON], "{} // none", nil},
		"reads a byte order mark before CRLF":  {placeOf[formatJSON], "\uFEFF{\r\n\"mcpServers\": {\"a\": {}}}\r\n", []foundServer{{Name: "a", Values: map[string]any{}}}},
		"reads the root where that holds them": {entryPlace{Format: formatJSONC}, `{"a": {},}`, []foundServer{{Name: "a", Values: map[string]any{}}}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := listServers([]byte(tc.document), tc.at)
			if err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("%v, %v; want %v", got, err, tc.want)
			}
		})
	}
}

func TestPasted(t *testing.T) {
	for want, at := range map[string]entryPlace{
		"{\n  \"mcpServers\": {\n    \"roam\": {\n      \"command\": \"C:\\\\a b.exe\",\n      \"env\": {}\n    }\n  }\n}\n":     placeOf[formatJSON],
		"[mcp_servers.roam]\ncommand = \"C:\\\\a b.exe\"\nenv = {}\n":                                                            placeOf[formatTOML],
		"extensions:\n  roam:\n    command: \"C:\\\\a b.exe\"\n    env: {}\n":                                                    placeOf[formatYAML],
		"name: mine\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: \"roam\"\n    command: \"C:\\\\a b.exe\"\n    env: {}\n": otherPlaces["yaml list"],
		"[[mcp_servers]]\nname = \"roam\"\ncommand = \"C:\\\\a b.exe\"\nenv = {}\n":                                              otherPlaces["list"],
		"{\n  \"roam\": {\n    \"command\": \"C:\\\\a b.exe\",\n    \"env\": {}\n  }\n}\n":                                       {Format: formatJSONC, Name: "roam"},
	} {
		if got, where := pasted(nil, at, entryFields{{"command", `C:\a b.exe`}, {"env", entryFields{}}}); got != want || where != "" {
			t.Errorf("got %s\n%s\nwant\n%s", where, got, want)
		}
	}
}

func TestPutEntry(t *testing.T) {
	entry := entryFields{{"command", "/x"}}
	t.Run("begins a new document as it is told", func(t *testing.T) {
		for _, document := range []string{"", "\n", " \r\n"} {
			got, err := putEntry([]byte(document), entryPlace{Format: formatJSON, Name: "roam", New: "{\"a\": 1}\n"}, entry)
			if want := "{\"a\": 1, \"roam\": {\"command\": \"/x\"}}\n"; err != nil || string(got) != want {
				t.Errorf("%v\n%s", err, got)
			}
		}
	})
	t.Run("keeps a byte order mark that stands alone", func(t *testing.T) {
		got, err := putEntry([]byte(byteOrderMark), placeOf[formatJSON], entry)
		if err != nil || !bytes.HasPrefix(got, []byte(byteOrderMark+"{\n")) {
			t.Errorf("%v\n%q", err, got)
		}
	})
	t.Run("writes texts that look like something else", func(t *testing.T) {
		odd := []string{"", " ", "true", "No", "1", "~", "- a", "a: b", "a #b", "#", "&a", "*", "!x", "%", "@", "`", "'", `"`, `\`, `'\`, "{", "[", ",", "é", "\u0085", "\u2028", "\uFEFF", "😀", "a\tb", "a\nb", "\x7F", "\x01", "=", "<<", "0x1", "2020-01-02", "...", "---"}
		for _, at := range placeOf {
			text, _ := pasted(nil, at, entryFields{{"args", odd}})
			put := []byte(text)
			found, err := listServers(put, at)
			require.NoError(t, err)
			for i, got := range found[0].Values["args"].([]any) {
				if got != odd[i] {
					t.Errorf("%q became %q in\n%s", odd[i], got, put)
				}
			}
		}
	})
	for name, tc := range map[string]struct {
		document string
		want     string // part of the error
		entry    entryFields
	}{
		"refuses more than 4 MiB":          {strings.Repeat(" ", maxDocument+1), "more than 4 MiB", entry},
		"refuses too many short values":    {`{"a":[1` + strings.Repeat(",1", maxParts) + "]}", "more than 200000 values", entry},
		"refuses too many empty lists":     {`{"a":[` + strings.Repeat("[[[[]]]],", maxParts/4) + "1]}", "more than 200000 values", entry},
		"refuses UTF-16":                   {"\xFF\xFE{\x00}\x00", "UTF-16", entry},
		"refuses what is not UTF-8":        {"{\n\"a\": \"\xE4\"}", "line 2, column 7: the text is not valid UTF-8", entry},
		"refuses a deep text":              {strings.Repeat(`{"a":`, 100000), "more than 200 levels", entry},
		"refuses a deep text by a comment": {"/*\"*/" + strings.Repeat(`[ //"`+"\n", 100000), "more than 200 levels", entry},
		"refuses text that is not UTF-8":   {"{}", "no text that a document can have", entryFields{{"a", "\xE4"}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := putEntry([]byte(tc.document), placeOf[formatJSON], tc.entry)
			if err == nil || !strings.Contains(err.Error(), tc.want) || errors.Is(err, errUnreadable) == errors.Is(err, errEntry) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	t.Run("refuses deep documents of TOML and YAML", func(t *testing.T) {
		for format, document := range map[fileFormat]string{formatTOML: "a = " + strings.Repeat("[", 150000), formatYAML: "a: " + strings.Repeat("[", 150000)} {
			if _, err := listServers([]byte(document), placeOf[format]); !errors.Is(err, errUnreadable) {
				t.Errorf("the error is %v", err)
			}
		}
		if _, err := putEntry([]byte(strings.Repeat("[a]\n", maxStatements+1)), placeOf[formatTOML], entry); !errors.Is(err, errUnreadable) || !strings.Contains(err.Error(), "more than 10000") {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("refuses too many lines and items of TOML and YAML", func(t *testing.T) {
		for format, part := range map[fileFormat]string{formatTOML: "#\n", formatYAML: "- - - -\n"} {
			if _, err := listServers([]byte(strings.Repeat(part, maxParts+1)), placeOf[format]); err == nil || !strings.Contains(err.Error(), "more than 200000 values") {
				t.Errorf("the error is %v", err)
			}
		}
	})
	t.Run("never repeats what stands in the document", func(t *testing.T) {
		for format, documents := range map[fileFormat][]string{
			formatJSON: {`{"k": geheim}`, `{"k": "geheim\x"}`, `{"k": "geheim`, `{"mcpServers": "geheim"}`},
			formatTOML: {`k = geheim`, `k = "geheim`, `mcp_servers = "geheim"`, "k = \"geheim\\x\"", "k = 1 geheim"},
			formatYAML: {"k: 'geheim", "k: *geheim", "extensions: geheim", "k: !geheim [", "k: geheim: x"},
		} {
			for _, document := range documents {
				_, err := listServers([]byte(document), placeOf[format])
				if e, ok := problem.As(err); !ok || strings.Contains(err.Error()+e.Message, "geheim") || strings.Contains(errorTree(err), "geheim") {
					t.Errorf("%s: %v", document, err)
				}
			}
		}
	})
}

// errorTree returns all texts of an error and those under it.
func errorTree(err error) string {
	if err == nil {
		return ""
	}
	return err.Error() + errorTree(errors.Unwrap(err))
}
