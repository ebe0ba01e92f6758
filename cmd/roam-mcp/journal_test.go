package main

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/testutil/faultroam"
	"roam-mcp/internal/testutil/hello"
	"roam-mcp/internal/testutil/require"
)

// TestT12StartStaysFree is the promise of that name (HISTORY.md, Promises): a server
// that was started, has listed its tools and has read a page has made no file and holds
// none of the journal.
func TestT12StartStaysFree(t *testing.T) {
	roam := httptest.NewServer(hello.Before(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"success":true,"result":{"uid":"p","markdown":"# x"},"apiVersion":"1.1.5"}`)
	}))
	t.Cleanup(roam.Close)
	home := homeWithGraph(t, roam.URL)
	before := filesBelow(t, home)
	process := exec.Command(programPath(t, "roam-mcp"), "serve", "--log-level", "debug")
	process.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_DATA_HOME="+filepath.Join(home, "data"))
	s := &served{t: t, process: process}
	s.start()
	s.send(initializeLine + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n" + fmt.Sprintf(pageCall, 7))
	for range 3 {
		if _, err := s.out.ReadString('\n'); err != nil {
			t.Fatal(err, s.stderr.String())
		}
	}
	for _, open := range openFiles(t, process.Process.Pid) {
		if strings.Contains(open, "history") || strings.HasSuffix(open, ".db") {
			t.Errorf("%s is open", open)
		}
	}
	require.NoError(t, s.in.Close())
	s.rest()
	if code := s.ended(); code != exitDone {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	// The list of calls for other programs is no part of the journal.
	activity := filepath.Join(home, "state", "roam-mcp", "activity")
	after := slices.DeleteFunc(filesBelow(t, home), func(path string) bool {
		return strings.HasPrefix(path, activity) || strings.HasPrefix(activity, path) && path != home
	})
	if !slices.Equal(after, before) {
		t.Errorf("there were %q, and are %q", before, after)
	}
}

// openFiles returns the paths of the files that a process has open, where the system
// tells.
func openFiles(t *testing.T, pid int) (paths []string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		return nil
	}
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, entry := range entries {
		if path, err := os.Readlink(filepath.Join(folder, entry.Name())); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func filesBelow(t *testing.T, folder string) (paths []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	}))
	return paths
}

func TestServeFlagsOfTheJournal(t *testing.T) {
	if kind := (serveOptions{}).kind(); kind != history.KindStdio {
		t.Errorf("over streams: kind %s", kind)
	}
	if kind := (serveOptions{http: "127.0.0.1:0"}).kind(); kind != history.KindHTTP {
		t.Errorf("over HTTP: kind %s", kind)
	}
	for name, good := range map[string]bool{
		"": true, "claude-code": true, "n8n_2.x": true, "a b": false, "*": false, "ä": false, "a\n": false,
		strings.Repeat("a", 40): true, strings.Repeat("a", 41): false, localapi.TokenPrefix + "0123456789abcdefghijklmnopqrs": false,
	} {
		if err := checkAgent(name); (err == nil) != good {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// noteWord stands in texts of notes and nowhere else.
const noteWord = "Zyzzogeton"

// journaled is a home with a sandbox, whose demo graph is connected, and the
// environment of programs there.
type journaled struct {
	home   string
	env    []string
	secret string // of the graph's token
}

func newJournaled(t *testing.T, on ...string) journaled {
	t.Helper()
	home := t.TempDir()
	server, err := faultroam.Start(t.Context(), sandbox.Options{Home: home, Policy: desk.Allow})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close(context.WithoutCancel(t.Context())) })
	require.NoError(t, server.Turn(on...))
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: filepath.Join(home, localapi.PortFileName), Strict: true}})
	defer client.CloseIdleConnections()
	grant, err := client.RequestToken(t.Context(), localapi.TokenRequest{
		Graph: localapi.Graph{Name: "demo", Type: localapi.Hosted}, AccessLevel: localapi.Full, Description: "test",
	})
	require.NoError(t, err)
	require.NoError(t, configstore.New(filepath.Join(home, configName)).Save(t.Context(), configstore.Entry{
		Name: "demo", Type: localapi.Hosted, Token: grant.Token, Nickname: "Demo", AccessLevel: localapi.Full,
	}))
	return journaled{home: home, secret: grant.Token.Reveal(), env: append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+filepath.Join(home, "state"), "XDG_DATA_HOME="+filepath.Join(home, "data"))}
}

func (j journaled) serve(t *testing.T, flags ...string) *served {
	t.Helper()
	process := exec.Command(programPath(t, "roam-mcp"), append([]string{"serve", "--log-level", "debug"}, flags...)...)
	process.Env = j.env
	s := &served{t: t, process: process}
	s.start()
	s.send(initializeLine)
	s.line()
	return s
}

// line reads one line of the output.
func (s *served) line() string {
	s.t.Helper()
	line, err := s.out.ReadString('\n')
	if err != nil {
		s.t.Fatalf("%v: %s", err, s.stderr.String())
	}
	return line
}

// call calls a tool that does its work, and returns the reply.
func (s *served) call(tool, arguments string) string {
	s.t.Helper()
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", tool, arguments))
	line := s.line()
	if !strings.Contains(line, `"result"`) || strings.Contains(line, `"isError":true`) {
		s.t.Fatalf("%s: %s", tool, line)
	}
	return line
}

// run runs a command to its end.
func (j journaled) run(t *testing.T, args ...string) (out, err string) {
	t.Helper()
	command := exec.Command(programPath(t, "roam-mcp"), args...)
	command.Env = j.env
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%q: %v\n%s%s", args, err, stdout.String(), stderr.String())
	}
	return stdout.String(), stderr.String()
}

var uidPattern = regexp.MustCompile(`[uU]ids?\\":\[?\\"([^\\]+)`)

// uidIn returns the first uid of a reply.
func uidIn(t *testing.T, reply string) string {
	t.Helper()
	found := uidPattern.FindStringSubmatch(reply)
	if found == nil {
		t.Fatalf("there is no uid in %s", reply)
	}
	return found[1]
}

// TestT13TextsStayHere is the promise of that name (HISTORY.md, Promises): what agents
// write is in the journal, and not in logs, in the names of files, locks included, or in
// the arguments of processes. No token is in the journal, nor in what is shown of it.
func TestT13TextsStayHere(t *testing.T) {
	j := newJournaled(t)
	s := j.serve(t)
	made := uidIn(t, s.call("create_block", `{"dailyNotePage":"today","markdown":"`+noteWord+` is made"}`))
	s.call("update_block", `{"uid":"`+made+`","string":"`+noteWord+` is changed"}`)
	page := uidIn(t, s.call("create_page", `{"title":"`+noteWord+`","markdown":"a page"}`))
	s.call("update_page", `{"uid":"`+page+`","title":"`+noteWord+` again"}`)
	s.call("delete_block", `{"uid":"`+made+`"}`)
	wantNoWord := func(what, text string) {
		t.Helper()
		if strings.Contains(strings.ToLower(text), strings.ToLower(noteWord)) {
			t.Errorf("a text of a note is in %s: %s", what, text)
		}
	}
	wantNoWord("the names of files", strings.Join(filesBelow(t, j.home), "\n"))
	if arguments, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.process.Process.Pid)); err == nil {
		wantNoWord("the arguments of the process", string(arguments))
	}
	require.NoError(t, s.in.Close())
	s.rest()
	if code := s.ended(); code != exitDone {
		t.Errorf("exit code %d: %s", code, s.stderr.String())
	}
	wantNoWord("the log of the server", s.stderr.String())
	wantNoWord("the names of files", strings.Join(filesBelow(t, j.home), "\n"))
	for _, args := range [][]string{{"history"}, {"history", "--json"}, {"diff", "1..5"}, {"history", "export"}} {
		out, log := j.run(t, append([]string{"--log-level", "debug"}, args...)...)
		wantNoWord("the log of "+args[0], log)
		if !strings.Contains(out, noteWord) {
			t.Errorf("%q does not show what was written: %s", args, out)
		}
		if strings.Contains(out, j.secret) || strings.Contains(log, j.secret) || tokenPattern.MatchString(out) {
			t.Errorf("%q shows a token", args)
		}
	}
}

// TestTextsAreKeptAsTheConfigurationSays holds the table of HISTORY.md, What is kept.
func TestTextsAreKeptAsTheConfigurationSays(t *testing.T) {
	const encrypted, says = "encrypted=demo", "encrypted-form="
	for name, tc := range map[string]struct {
		file, graph configstore.Switch
		roam        string // fault or switch
		want        bool
	}{
		"nothing is said":                        {"", "", "", true},
		"nothing is said of an encrypted graph":  {"", "", encrypted, false},
		"Roam knows no such question":            {"", "", "missing=graph.isEncrypted", false},
		"Roam fails at the question":             {"", "", says + "error", false},
		"Roam answers null":                      {"", "", says + "null", false},
		"Roam answers a text":                    {"", "", says + "text", false},
		"the person wants them, and Roam fails":  {"", configstore.On, says + "error", true},
		"the person wants an encrypted graph's":  {"", configstore.On, encrypted, true},
		"the person wants none of the graph":     {"", configstore.Off, "", false},
		"the person wants none at all":           {configstore.Off, configstore.On, "", false},
		"the person wants those of all, of some": {configstore.On, configstore.Off, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJournaled(t, slices.DeleteFunc([]string{tc.roam}, func(s string) bool { return s == "" })...)
			store := configstore.New(filepath.Join(j.home, configName))
			if tc.file != "" {
				require.NoError(t, store.SetAllHistory(t.Context(), tc.file))
			}
			if tc.graph != "" {
				require.NoError(t, store.SetHistory(t.Context(), "Demo", tc.graph))
			}
			s := j.serve(t, "--agent", "tester")
			page := uidIn(t, s.call("create_page", `{"title":"`+noteWord+`","markdown":"a page"}`))
			s.call("update_page", `{"uid":"`+page+`","title":"`+noteWord+` again"}`)
			require.NoError(t, s.in.Close())
			s.rest()
			s.ended()
			out, _ := j.run(t, "history", "export")
			if got := strings.Contains(out, noteWord); got != tc.want {
				t.Errorf("a text is kept: %v; want %v\n%s", got, tc.want, out)
			}
			_, told := j.run(t, "history")
			tells := strings.Contains(told, "To keep them, so that changes can be undone:\n  roam-mcp history on --graph Demo\n")
			if unsaid := tc.roam != "" && tc.roam != encrypted && tc.graph == ""; tells != unsaid {
				t.Errorf("history tells that no texts are kept: %v\n%s", tells, told)
			}
			if !strings.Contains(out, `"tester"`) || !strings.Contains(out, `"update_page"`) {
				t.Errorf("it is not said who wrote, with which tool:\n%s", out)
			}
		})
	}
}

// TestServingWithoutAJournal makes none.
func TestServingWithoutAJournal(t *testing.T) {
	j := newJournaled(t)
	s := j.serve(t, "--no-journal")
	s.call("create_page", `{"title":"`+noteWord+`","markdown":"a page"}`)
	require.NoError(t, s.in.Close())
	s.rest()
	s.ended()
	if exists(filepath.Join(j.home, "state", "roam-mcp", "history")) {
		t.Error("there is a journal")
	}
	if told := s.stderr.String(); !strings.Contains(told, "Nothing is recorded (--no-journal), so no other server waits while this one changes a note.\n") {
		t.Errorf("the start says %q", told)
	}
}
