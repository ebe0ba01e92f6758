package sandbox

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

const (
	smallDump = `#datascript/DB {:schema {}, :datoms [[1 :node/title "Dumped" 5] [1 :block/uid "p" 5] [1 :block/children 2 5]
 [2 :block/string "on the page" 5] [2 :block/uid "b" 5] [2 :block/page 1 5] [2 :block/parents 1 5] [2 :block/order 0 5]
 [3 :block/string "orphan" 5] [3 :block/uid "o" 5]]}`
	smallJSON = `[{"title": "Exported", "uid": "p", "children": [{"string": "on the page", "uid": "b"}]}]`
)

// archive is a zip file of names and contents in turn.
func archive(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.String()
}

// bomb is an archive of a file that says it is very large.
func bomb(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	_, err := w.CreateRaw(&zip.FileHeader{Name: "a.json", UncompressedSize64: 1 << 31})
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestImport(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "Noted.md"), []byte("- see [[Elsewhere]]\n  - below\n"), 0o600))
	for name, c := range map[string]struct{ content, title, text string }{
		"JSON":                {smallJSON, "Exported", "on the page"},
		"JSON after a mark":   {"\ufeff \n" + smallJSON, "Exported", "on the page"},
		"a dump":              {smallDump, "Dumped", "on the page"},
		"a folder":            {"", "Noted", "  - below"},
		"an archive of JSON":  {archive(t, "x/graph.json", smallJSON), "Exported", "on the page"},
		"an archive of EDN":   {archive(t, "graph.EDN", smallDump, "read me.txt", ""), "Dumped", "on the page"},
		"an archive of a Mac": {archive(t, "graph.json", smallJSON, "__MACOSX/._graph.json", "\x00\x05"), "Exported", "on the page"},
		"an archive of notes": {archive(t, "Noted.md", "- a\n  - b\n", "app/x.json", "{}"), "Noted", "  - b"},
	} {
		t.Run(name, func(t *testing.T) {
			path := folder
			if c.content != "" {
				path = filepath.Join(t.TempDir(), "graph")
				require.NoError(t, os.WriteFile(path, []byte(c.content), 0o600))
			}
			s := start(t, Options{Home: t.TempDir(), Policy: "allow", Import: []Import{{Path: path, Graph: small}}})
			page := callerOf(t, s, small).do("data.ai.getPage", `{"title": "`+c.title+`"}`)
			if !strings.Contains(page, c.text) {
				t.Errorf("the page is %s", page)
			}
		})
	}
}

func TestImportRefuses(t *testing.T) {
	for name, c := range map[string]struct{ content, text string }{
		"half a dump":                              {smallDump[:100], "ends in the middle"},
		"no export":                                {"hello", "list of pages"},
		"an archive of two":                        {archive(t, "a.json", "[]", "b.edn", ""), "holds 2 exports"},
		"an archive of nothing":                    {archive(t, "a.txt", ""), "holds 0 exports"},
		"half an archive":                          {zipMagic + "xxx", "zip"},
		"notes of too many lines":                  {archive(t, "a.md", strings.Repeat("-\n", 250_001)), "a.md: the file has more than 250000 lines"},
		"an archive that says it fills the memory": {bomb(t), "unpacks to more than 64 MB"},
		"notes that are no UTF-8":                  {archive(t, "a.md", "\xff"), "a.md: the file is not UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "graph.json")
			require.NoError(t, os.WriteFile(path, []byte(c.content), 0o600))
			_, err := Start(t.Context(), Options{Home: t.TempDir(), Import: []Import{{Path: path, Graph: small}}})
			if e, ok := problem.As(err); !ok || e.Code != CodeImportFailed || !strings.Contains(e.Message, path) || !strings.Contains(e.Message, c.text) {
				t.Errorf("error %v, want %q in it", err, c.text)
			}
		})
	}
}

func TestExport(t *testing.T) {
	s := start(t, Options{Policy: "allow"})
	home := s.options.Home
	callerOf(t, s, small).do("data.block.create", `{"location": {"parent-uid": "page-wate", "order": "last"}, "block": {"string": "- new [[Thing]]", "uid": "new-block"}}`)
	running := exported(t, ExportOptions{Home: home, Graph: "small"})
	if !strings.Contains(running, "- new [[Thing]]") || !strings.Contains(running, "secret flour") {
		t.Errorf("export %s", running)
	}
	folder := filepath.Join(t.TempDir(), "notes")
	if pages, err := ExportMarkdown(t.Context(), ExportOptions{Home: home, Graph: "small", Type: localapi.Hosted}, folder); err != nil || pages != 6 { // one is the AI's
		t.Errorf("%d pages, %v", pages, err)
	}
	stop(t, s)
	if stopped := exported(t, ExportOptions{Home: home, Graph: "small"}); stopped != running {
		t.Errorf("export with the sandbox\n%s\nand without\n%s", running, stopped)
	}

	file := filepath.Join(t.TempDir(), "small.json")
	require.NoError(t, ExportJSONFile(t.Context(), ExportOptions{Home: home, Graph: "small"}, file))
	for _, path := range []string{file, folder} { // both make an equal graph
		again := start(t, Options{Home: t.TempDir(), Import: []Import{{Path: path, Graph: small}}})
		if got := sorted(exported(t, ExportOptions{Home: again.options.Home, Graph: "small"})); got != sorted(running) {
			t.Errorf("from %s comes\n%s\nwant\n%s", path, got, sorted(running))
		}
	}
}

func exported(t *testing.T, options ExportOptions) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, ExportJSON(t.Context(), options, &b))
	return b.String()
}

// sorted puts the pages of an export, a line each, in an order.
func sorted(export string) string {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSuffix(export, "]\n"), ",\n", "\n"), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestExportRefuses(t *testing.T) {
	s := start(t, Options{})
	home := s.options.Home
	wantCode := func(err error, code problem.Code) {
		t.Helper()
		if problem.CodeOf(err) != code {
			t.Errorf("error %v, want %s", err, code)
		}
	}
	unknown := ExportOptions{Home: home, Graph: "nobody"}
	wantCode(ExportJSON(t.Context(), unknown, &bytes.Buffer{}), localapi.CodeNotFound)
	_, err := ExportMarkdown(t.Context(), unknown, filepath.Join(t.TempDir(), "x"))
	wantCode(err, localapi.CodeNotFound)
	wantCode(ExportJSON(t.Context(), ExportOptions{Home: home, Graph: "small", Type: localapi.Offline}, &bytes.Buffer{}), localapi.CodeNotFound)
	_, err = ExportMarkdown(t.Context(), ExportOptions{Home: home, Graph: "small"}, home)
	wantCode(err, CodeExportFailed)
	file := filepath.Join(t.TempDir(), "old.json")
	require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	wantCode(ExportJSONFile(t.Context(), unknown, file), localapi.CodeNotFound)
	if content, err := os.ReadFile(file); err != nil || string(content) != "old" {
		t.Errorf("the file is %s, %v", content, err)
	}
	stop(t, s)
	wantCode(ExportJSON(t.Context(), unknown, &bytes.Buffer{}), localapi.CodeNotFound)
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	wantCode(ExportJSON(t.Context(), ExportOptions{Home: nowhere, Graph: "small"}, &bytes.Buffer{}), localapi.CodeNotFound)
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("asking for an export made a folder")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ExportJSON(ctx, ExportOptions{Home: home, Graph: "small"}, &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestExportNeedsTheKey(t *testing.T) {
	s := start(t, Options{})
	for name, header := range map[string][]string{
		"no key":      nil,
		"a wrong key": {"x"},
		"a web page":  {s.key, "Origin", "https://evil.example"},
		"a web page whose host was bent to this machine": {s.key, "Host", "evil.example"},
		"half a key":   {s.key[:13]},
		"an empty key": {""},
	} {
		if status, body := askWith(t, s, http.MethodGet, "/sandbox/export?graph=small", "", header...); status == http.StatusOK || strings.Contains(body, "Bread") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if status, _ := askWith(t, s, http.MethodPost, "/sandbox/export?graph=small", "", s.key); status != http.StatusMethodNotAllowed {
		t.Errorf("POST gives %d", status)
	}
	if status, body := askWith(t, s, http.MethodGet, "/sandbox/export?graph=small", "", s.key); status != http.StatusOK || !strings.Contains(body, "Bread") {
		t.Errorf("%d %s", status, body)
	}
}

// A program that took the port of a sandbox that has ended says that it is that one, and
// is sent its key.
func TestAKeyIsGoodForOneStart(t *testing.T) {
	s := start(t, Options{})
	home, key := s.options.Home, s.key
	stop(t, s)
	stranger := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(homeHeader, homeID(home))
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `[{"title": "Not yours"}]`)
	}))
	defer stranger.Close()
	require.NoError(t, writePortFile(home, stranger.Listener.Addr().(*net.TCPAddr).Port))
	file := filepath.Join(t.TempDir(), "export.json")
	for name, err := range map[string]error{
		"an export": ExportJSONFile(t.Context(), ExportOptions{Home: home, Graph: "small"}, file),
		"a switch":  func() error { _, err := TurnSwitches(t.Context(), home, "", true); return err }(),
	} {
		if e, _ := problem.As(err); e == nil || e.Code != codeWrongKey || !strings.Contains(e.Message, "is not this sandbox") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("what the stranger says is exported")
	}
	stranger.Close()
	again := start(t, Options{Home: home})
	if status, body := askWith(t, again, http.MethodGet, "/sandbox/export?graph=small", "", key); status != http.StatusUnauthorized {
		t.Errorf("the key of the start before: %d %s", status, body)
	}
}

func TestImportHelpDump(t *testing.T) {
	path := helpgraph.Path(t, "help.edn")
	s := start(t, Options{Home: t.TempDir(), Policy: "allow", Import: []Import{{Path: path, Graph: small}}})
	c := callerOf(t, s, small)
	for query, want := range map[string]string{
		`[:find (count ?b) . :where [?b :block/string]]`:                                     "5717",
		`[:find (count ?p) . :where [?p :node/title]]`:                                       "1031",
		`[:find (count ?b) . :where [?b :block/string] (not [_ :block/children ?b])]`:        "1521",
		`[:find (count ?u) . :where [?u :user/uid]]`:                                         "24", // 22, and two of the sandbox's
		`[:find (count ?v) . :where [?g :vc/blocks ?v]]`:                                     "9",
		`[:find (count ?w) . :where [?w :window/id]]`:                                        "13",
		`[:find ?n . :where [?v :version/id "0.9.7"] [?v :version/nonce] [(identity 1) ?n]]`: "1",
	} {
		reply, err := c.client.Call(t.Context(), small, c.token, "data.q", query)
		if err != nil || string(reply.Result) != want {
			t.Errorf("%s gives %s, %v; want %s", query, reply.Result, err, want)
		}
	}
	if page := c.do("data.ai.getPage", `{"title": "Roam Research"}`); !strings.Contains(page, "<roam uid=") {
		t.Errorf("the page is %.200s", page)
	}
	if found := c.do("data.ai.search", `{"query": "block reference", "scope": "blocks"}`); !strings.Contains(found, `"results":[{`) {
		t.Errorf("found %.200s", found)
	}
}
