//go:build campaign && linux

package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
)

const (
	megabyte = 1 << 20
	// builtVariable names the folder of the program that is measured.
	builtVariable = "ROAM_MCP_TEST_BUILT"
)

// What may come from outside is made as large, as deep or as dense as its bounds let
// it, and worse. The program refuses it or takes it, and the most memory that the
// system ever saw it hold stays under the ceiling (docs/benchmarks.md).
func TestMemoryHasACeiling(t *testing.T) {
	buildMeasured(t)
	token := `"roam-graph-local-token-` + strings.Repeat("a", 29) + `"`
	entry := `{"version":1,"graphs":[{"name":"g","token":` + token + `,"nickname":"G"}],"x":`
	deep := func(levels, times int) string {
		return entry + "[" + strings.Repeat(strings.Repeat("[", levels)+strings.Repeat("]", levels)+",", times) + "1]}"
	}
	for _, c := range []struct {
		name    string
		ceiling int64 // MB
		said    string
		peak    func(t *testing.T) (mb int64, said string)
	}{
		{"a configuration of lists 9,000 deep", 60, "levels deep", config(deep(9_000, 20))},
		{"a configuration of the greatest depth and size", 250, "", config(entry + strings.Repeat("[", 30) + strings.Repeat("1,", 500_000) + "1" + strings.Repeat("]", 30) + "}")},
		{"a configuration of 2 MB", 60, "larger than 1 MB", config(entry + `"` + strings.Repeat("x", 2*megabyte) + `"}`)},
		{"an archive of 1 MB that unpacks to 1 GB", 100, "unpacks to more than", imported(zipped("x.json", strings.Repeat(" ", megabyte), 1024))},
		{"a page of empty blocks in an archive", 400, "has more than 250000 blocks", imported(zipped("x.json", `[{"title":"a","children":[`+strings.Repeat("{},", 20_000_000)+`{}]}]`, 1))},
		{"a page of 250,000 blocks", 700, "Interrupt to stop", imported(`[{"title":"a","children":[` + strings.Repeat("{},", 249_998) + `{}]}]`)},
		{"JSON nested 5 million deep", 100, "can't be read", imported(`[{"title":"a","children":` + strings.Repeat("[", 5_000_000))},
		{"a dump of one value of 60 MB", 150, "a value is longer", imported("#datascript/DB {:datoms [[1 :a/b [" + strings.Repeat("1 ", 30*megabyte) + "] 1]]}")},
		{"a text that mentions 10 million pages", 400, "refers to more than", imported(`[{"title":"a","children":[{"string":"` + strings.Repeat("[[a]]", 10_000_000) + `"}]}]`)},
		{"markdown of 8 million lines in an archive", 200, "has more than 250000 lines", imported(zipped("x.md", "- a\n", 4_000_000))},
		{"markdown of 250,000 lines", 900, "Interrupt to stop", imported(zipped("x.md", "- a\n", 249_999))},
		{"a million blocks", 2000, "Interrupt to stop", newGraph("big:1000000")},
		{"fromMarkdown of 3 MB, 750,000 blocks", 200, "Write it in parts", fromMarkdown(strings.Repeat("- a\n", 750_000))},
		{"fromMarkdown of 100,000 blocks", 300, "uids", fromMarkdown(strings.Repeat("- a\n", 100_000))},
		{"fromMarkdown of 3 MB in one block", 200, "uids", fromMarkdown(strings.Repeat("word ", 600_000))},
		{"a reply of 100 MB", 60, "larger than 64 MiB", reply(100*megabyte, true)},
		{"a reply of 100 MB whose length is not told", 250, "larger than 64 MiB", reply(100*megabyte, false)},
		{"a reply of 60 MB", 450, "queriedAt", reply(60*megabyte, true)},
	} {
		t.Run(c.name, func(t *testing.T) {
			mb, said := c.peak(t)
			t.Logf("| %s | %d MB | %d MB |", c.name, c.ceiling, mb)
			if mb > c.ceiling {
				t.Errorf("it took %d MB, and may take %d", mb, c.ceiling)
			}
			if !strings.Contains(said, c.said) {
				t.Errorf("it said %.500q, not %q", said, c.said)
			}
		})
	}
}

// buildMeasured builds the program that is measured, unless the environment names the
// folder of one: the test's own binary takes 70 MB more.
func buildMeasured(t *testing.T) {
	t.Helper()
	if os.Getenv(builtVariable) != "" {
		return
	}
	built := t.TempDir()
	out, err := exec.Command("go", "build", "-o", built, ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv(builtVariable, built)
}

// measured is a run of the program in a home of its own.
type measured struct {
	t       *testing.T
	home    string
	command *exec.Cmd
	said    bytes.Buffer
	looked  chan int64
}

func start(t *testing.T, home string, args ...string) *measured {
	t.Helper()
	m := &measured{t: t, home: home}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	t.Cleanup(cancel)
	m.command = exec.CommandContext(ctx, filepath.Join(os.Getenv(builtVariable), "roam-mcp"), args...)
	m.command.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home)
	m.command.Stderr = &m.said
	return m
}

// start starts the process and looks at its memory from then on. The resource usage that
// the system tells at the end would count what the test held when it started it.
func (m *measured) start() {
	m.t.Helper()
	require.NoError(m.t, m.command.Start())
	m.looked = make(chan int64, 1)
	status := fmt.Sprintf("/proc/%d/status", m.command.Process.Pid)
	go func() {
		most := int64(0)
		for {
			text, err := os.ReadFile(status)
			_, line, there := strings.Cut(string(text), "VmHWM:")
			if err != nil || !there { // it has ended
				m.looked <- most
				return
			}
			line, _, _ = strings.Cut(line, "kB")
			if kb, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64); err == nil {
				most = max(most, kb>>10)
			}
		}
	}()
}

// peak waits for the end and returns the most memory that the process held at once, in
// MB.
func (m *measured) peak() int64 {
	most := <-m.looked
	_ = m.command.Wait()
	return most
}

func config(text string) func(*testing.T) (int64, string) {
	return func(t *testing.T) (int64, string) {
		home := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(home, configName), []byte(text), 0o600))
		m := start(t, home, "rename", "G", "H")
		m.start()
		return m.peak(), m.said.String()
	}
}

// zipped is an archive of one file that holds a part many times.
func zipped(name, part string, times int) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create(name)
	for range times {
		if err == nil {
			_, err = io.WriteString(f, part)
		}
	}
	if err != nil || w.Close() != nil {
		panic("an archive in memory can't be written")
	}
	return b.String()
}

func imported(export string) func(*testing.T) (int64, string) {
	return func(t *testing.T) (int64, string) {
		home := t.TempDir()
		path := filepath.Join(home, "export")
		require.NoError(t, os.WriteFile(path, []byte(export), 0o600))
		return untilItListens(t, start(t, home, "sandbox", "--home", home, "--import", path, "--graph-name", "g"))
	}
}

func newGraph(wanted string) func(*testing.T) (int64, string) {
	return func(t *testing.T) (int64, string) {
		home := t.TempDir()
		return untilItListens(t, start(t, home, "sandbox", "--home", home, "--new-graph", wanted))
	}
}

// untilItListens interrupts a sandbox that has started.
func untilItListens(t *testing.T, m *measured) (int64, string) {
	out, err := m.command.StdoutPipe()
	require.NoError(t, err)
	m.start()
	said := readUntil(out, "Interrupt to stop")
	_ = m.command.Process.Signal(os.Interrupt) // unless it has ended
	peak := m.peak()
	return peak, said + m.said.String()
}

// readUntil reads up to a text, or to the end.
func readUntil(in io.Reader, text string) string {
	var said strings.Builder
	part := make([]byte, 4096)
	for {
		n, err := in.Read(part)
		said.Write(part[:n])
		if err != nil || strings.Contains(said.String(), text) {
			return said.String()
		}
	}
}

func fromMarkdown(markdown string) func(*testing.T) (int64, string) {
	return func(t *testing.T) (int64, string) {
		home := t.TempDir()
		m := start(t, home, "sandbox", "--home", home, "--new-graph", "g", "--approve", "allow")
		out, err := m.command.StdoutPipe()
		require.NoError(t, err)
		m.start()
		readUntil(out, "Interrupt to stop")
		client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
		graph := localapi.Graph{Name: "g", Type: localapi.Hosted}
		grant, err := client.RequestToken(t.Context(), localapi.TokenRequest{Graph: graph, AccessLevel: localapi.Full, Description: "measure"})
		require.NoError(t, err)
		answer, err := client.Call(t.Context(), graph, grant.Token, "data.block.fromMarkdown", map[string]any{
			"location": map[string]any{"page-title": "P"}, "markdown-string": markdown,
		})
		said := string(answer.Result)
		if err != nil {
			said = err.Error()
		}
		_ = m.command.Process.Signal(os.Interrupt)
		return m.peak(), said
	}
}

// reply has a server read a page from a Roam whose reply is that large.
func reply(size int, told bool) func(*testing.T) (int64, string) {
	return func(t *testing.T) (int64, string) {
		roam := httptest.NewServer(hello.Before(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			before, after := `{"success":true,"apiVersion":"1.1.5","result":{"uid":"a","markdown":"`, `","queriedAt":"now"}}`
			if told {
				w.Header().Set("Content-Length", strconv.Itoa(len(before)+size+len(after)))
			}
			_, _ = io.WriteString(w, before)
			line := strings.Repeat("x", 1023) + " "
			for range size / len(line) {
				if _, err := io.WriteString(w, line); err != nil {
					return
				}
			}
			_, _ = io.WriteString(w, after)
		}))
		defer roam.Close()
		home := t.TempDir()
		address, err := url.Parse(roam.URL)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(home, localapi.PortFileName), fmt.Appendf(nil, `{"port":%s}`, address.Port()), 0o600))
		entry := `{"version":1,"graphs":[{"name":"g","token":"roam-graph-local-token-` + strings.Repeat("a", 29) + `","nickname":"G"}]}`
		require.NoError(t, os.WriteFile(filepath.Join(home, configName), []byte(entry), 0o600))
		m := start(t, home, "serve")
		in, err := m.command.StdinPipe()
		require.NoError(t, err)
		out, err := m.command.StdoutPipe()
		require.NoError(t, err)
		m.start()
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_page","arguments":{"title":"P"}}}`,
		} {
			_, err := io.WriteString(in, message+"\n")
			require.NoError(t, err)
		}
		var said string
		decoder := json.NewDecoder(out)
		for said == "" {
			var answer struct {
				ID     any             `json:"id"`
				Result json.RawMessage `json:"result"`
			}
			require.NoError(t, decoder.Decode(&answer))
			if fmt.Sprint(answer.ID) == "2" {
				said = string(answer.Result)
			}
		}
		require.NoError(t, in.Close())
		return m.peak(), said
	}
}
