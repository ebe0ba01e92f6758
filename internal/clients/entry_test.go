package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/require"
)

// TestEntry reads entries by the rules of their clients. In the texts, PROGRAM is the path
// of this program.
func TestEntry(t *testing.T) {
	for name, tc := range map[string]struct {
		client, text string
		starts       string // the command line, or the address
		ours         bool
		also         string
	}{
		"starts what the client's field says":          {"cursor", `{"command":PROGRAM,"args":["serve"],"cmd":["./x"]}`, "PROGRAM serve", true, `cmd ["./x"]`},
		"takes no command from a field of others":      {"cursor", `{"cmd":PROGRAM,"args":["serve"]}`, " serve", false, `cmd PROGRAM`},
		"takes one list where the client has one":      {"opencode", `{"command":[PROGRAM,"serve"],"args":["x"],"env":{"A":"b"}}`, "PROGRAM serve", true, `args ["x"], env A`},
		"takes no list where the client has a text":    {"cursor", `{"command":[PROGRAM,"serve"]}`, "", false, `command [PROGRAM,"serve"]`},
		"names variables without their values":         {"cursor", `{"command":PROGRAM,"args":["serve"],"env":{"LD_PRELOAD":"./x.so"}}`, "PROGRAM serve", true, "env LD_PRELOAD"},
		"names the variables of that client's field":   {"opencode", `{"command":[PROGRAM,"serve"],"environment":{"LD_PRELOAD":"./x.so"}}`, "PROGRAM serve", true, "environment LD_PRELOAD"},
		"says that a field is there twice":             {"cursor", `{"command":"./x","command":PROGRAM,"args":["serve"]}`, "PROGRAM serve", true, "command twice"},
		"reads a name that is escaped":                 {"cursor", `{"comm\u0061nd":PROGRAM,"args":["serve"]}`, "PROGRAM serve", true, ""},
		"tells a name in another case from the field":  {"cursor", `{"command":PROGRAM,"Command":"./x","args":["serve"]}`, "PROGRAM serve", true, `Command "./x"`},
		"connects where there is no program":           {"cursor", `{"url":"http://127.0.0.1:3939/mcp","headers":{"Authorization":"secret"}}`, "http://127.0.0.1:3939/mcp", true, ""},
		"knows no server of others":                    {"cursor", `{"url":"http://127.0.0.1:4000/mcp"}`, "http://127.0.0.1:4000/mcp", false, ""},
		"knows no server of another computer":          {"cursor", `{"url":"http://10.0.0.1:3939/mcp"}`, "http://10.0.0.1:3939/mcp", false, ""},
		"connects where the type says so":              {"claude-code", `{"type":"http","command":PROGRAM,"args":["serve"],"url":"http://localhost:3939/mcp"}`, "http://localhost:3939/mcp", true, `command PROGRAM`},
		"starts where it could connect, too":           {"cursor", `{"command":PROGRAM,"args":["serve"],"url":"http://localhost:3939/mcp"}`, "PROGRAM serve", true, `url "http://localhost:3939/mcp"`},
		"connects by the field of that client":         {"windsurf", `{"serverUrl":"http://localhost:3939/mcp"}`, "http://localhost:3939/mcp", true, ""},
		"has what a client was told of its tools":      {"cline", `{"command":PROGRAM,"args":["serve"],"autoApprove":["x"]}`, "PROGRAM serve", true, `autoApprove ["x"]`},
		"does not take another command for a server":   {"cursor", `{"command":PROGRAM,"args":["remove","serve","--yes"]}`, "PROGRAM remove serve --yes", false, ""},
		"has a folder only where the client reads one": {"cursor", `{"command":PROGRAM,"args":["serve"],"cwd":"/x"}`, "PROGRAM serve", true, `cwd "/x"`},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t, linux)
			m.Program, m.World.HTTP = newProgram(t, "roam-mcp", ""), "http://127.0.0.1:3939/mcp"
			quoted := string(rawjson.Encode(m.Program))
			client := find(t, tc.client)
			holder := strings.Join(client.servers[0].path, ".")
			write(t, m.file(client, false), `{"`+holder+`":{"roam":`+strings.ReplaceAll(tc.text, "PROGRAM", quoted)+`}}`)
			s := m.Look(client)
			require.NoError(t, s.Err)
			if len(s.Entries) != 1 {
				t.Fatalf("%+v", s)
			}
			e := s.Entries[0]
			starts := strings.Join(append([]string{e.Command}, e.Args...), " ")
			if e.URL != "" {
				starts = e.URL
			}
			if starts != strings.ReplaceAll(tc.starts, "PROGRAM", m.Program) || e.Ours != tc.ours || e.Also() != strings.ReplaceAll(tc.also, "PROGRAM", quoted) {
				t.Errorf("starts %q, ours %v, also %s", starts, e.Ours, e.Also())
			}
		})
	}
}

func TestOnlyThisProgramIsStartedWithoutAQuestion(t *testing.T) {
	m := newMachine(t, linux)
	m.Program = newProgram(t, "roam-mcp", "")
	other, project := newProgram(t, "roam-mcp", "#!/bin/sh"), t.TempDir()
	link, evil := filepath.Join(t.TempDir(), "roam-mcp"), filepath.Join(project, "roam-mcp")
	require.NoError(t, os.Symlink(m.Program, link))
	require.NoError(t, os.WriteFile(evil, []byte("#!/bin/sh"), 0o700))
	for name, tc := range map[string]struct {
		text    string
		project bool
		doubt   string // a part of it; empty: none
		never   bool
	}{
		"this program":                      {`"command":"` + m.Program + `","args":["serve","--graph","Work","--profile","notes"]`, false, "", false},
		"this program by a link":            {`"command":"` + link + `","args":["serve"]`, false, "", false},
		"this program with its variables":   {`"command":"` + m.Program + `","args":["serve"],"env":{"ROAM_MCP_CONFIG":"/x"}`, false, "", false},
		"another copy":                      {`"command":"` + other + `","args":["serve"]`, false, other + " serve: it is not the program that runs now", false},
		"another copy in the user's file":   {`"command":"` + evil + `","args":["serve"]`, false, "not the program that runs now", false},
		"a program of the project":          {`"command":"` + evil + `","args":["serve"]`, true, "it lies in the folder of the project", true},
		"one relative to the project":       {`"command":"./roam-mcp","args":["serve"]`, true, "it lies in the folder of the project", true},
		"what loads another file":           {`"command":"` + m.Program + `","args":["serve"],"env":{"LD_PRELOAD":"./x.so"}`, false, "with LD_PRELOAD=./x.so", false},
		"this program's variables, a repo":  {`"command":"` + m.Program + `","args":["serve"],"env":{"XDG_STATE_HOME":"."}`, true, "with XDG_STATE_HOME=.", false},
		"a log in another place":            {`"command":"` + m.Program + `","args":["serve","--log-file","x"]`, false, "arguments that install does not write", false},
		"the configuration of a repository": {`"command":"` + m.Program + `","args":["--config","x.json","serve"]`, true, "another configuration than yours", false},
	} {
		t.Run(name, func(t *testing.T) {
			m, c := m, find(t, "cursor")
			m.Home = t.TempDir()
			if tc.project {
				m.Folder = project
			}
			write(t, m.file(c, tc.project), `{"mcpServers":{"roam":{`+tc.text+`}}}`)
			l, err := m.Launch(c, m.Look(c).Entries[0], nil)
			require.NoError(t, err)
			if tc.doubt == "" && (l.Doubt != "" || l.Program != m.Program) || !strings.Contains(l.Doubt, tc.doubt) || l.Never != tc.never {
				t.Errorf("%q, never %v, program %q", l.Doubt, l.Never, l.Program)
			}
		})
	}
}

func TestAProjectsEntryKeepsNothingUnasked(t *testing.T) {
	m, c := newMachine(t, linux), find(t, "cursor")
	m.Program, m.Folder = newProgram(t, "roam-mcp", ""), t.TempDir()
	file := m.file(c, true)
	text := `{"mcpServers":{"roam":{"command":"` + m.Program + `","args":["serve"],"cmd":["./x"],"env":{"LD_PRELOAD":"./x.so"}},"other":{"command":"y"}}}`
	write(t, file, text)
	server := Server{Name: "roam", Command: m.Program, Args: []string{"serve"}}
	p, err := m.PlanInstall(c, server, Options{Project: true})
	require.NoError(t, err)
	if !p.Drops || strings.Contains(string(p.After), "./x") || !strings.Contains(string(p.After), `"other":{"command":"y"}`) || p.Backup == "" ||
		!strings.Contains(p.Note, `This entry also has: cmd ["./x"], env LD_PRELOAD. That goes`) {
		t.Errorf("%+v\n%s", p, p.After)
	}
	if p, err = m.PlanInstall(c, server, Options{Project: true, Keep: true}); err != nil || !p.Unchanged || !strings.Contains(p.Note, "That stays") {
		t.Errorf("asked to keep it: %+v, %v", p, err)
	}
	m.Folder = ""
	write(t, m.file(c, false), text)
	if p, err = m.PlanInstall(c, server, Options{}); err != nil || !p.Unchanged || !strings.Contains(p.Note, "That stays") {
		t.Errorf("in the user's file: %+v, %v", p, err)
	}
}
