//go:build linux

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/textsafe"
)

var (
	hostileSeed  = flag.Uint64("hostile.seed", 1, "seed of the hostile projects")
	hostileCount = flag.Int("hostile.count", hostileProjects, "number of hostile projects")
)

// hostileWorld is a home with a connected graph, in which folders of projects are made
// whose files want other programs started.
type hostileWorld struct {
	*testing.T
	home, project string
	program       string // ours
	evil          string // in the project; leaves a file called started in the home
	random        *rand.Rand
	started       int // programs seen to be started
}

// TestAProjectsFilesStartNothing makes folders of projects in which every field of the
// schema of every client's file is doubled, replaced, linked, escaped or oversized, and runs
// in them what looks at these files, under a watch of all programs that are started.
func TestAProjectsFilesStartNothing(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace, which watches what is started, is not here")
	}
	if race.Enabled {
		t.Skip("what runs is another process")
	}
	w := &hostileWorld{T: t, home: t.TempDir(), random: rand.New(rand.NewPCG(14, *hostileSeed))}
	roam := startRoam(t, w.home, "--approve", "allow")
	roam.command("connect", "demo", "--nickname", "Work")
	hasClients(t, w.home, ".cursor", ".vscode", ".codex", ".kiro")
	w.program = programPath(t, "roam-mcp")
	for i := range *hostileCount {
		w.project = filepath.Join(t.TempDir(), fmt.Sprint("project", i))
		require.NoError(t, os.MkdirAll(w.project, 0o700))
		w.evil = filepath.Join(w.project, "evil")
		require.NoError(t, os.WriteFile(w.evil, []byte("#!/bin/sh\necho started >> "+w.home+"/started\n"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(w.home, "victim.json"), []byte(`{"mcpServers":{}}`), 0o600))
		w.plant(true)
		w.plant(false)
		ids := w.projectClients()
		w.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ids = ids[:hostileClients]
		for _, args := range [][]string{
			append([]string{"install", "--project"}, ids...),
			append([]string{"install", "--project", "--yes"}, ids...),
			{"clients", "--project"}, {"clients", "--json"}, {"doctor"}, {"doctor", "--fix"},
			append([]string{"install", "--project", "--entry", "planted"}, ids...),
		} {
			w.run(strace, args...)
		}
		if i == 0 {
			w.screen(strace)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d folders with the files of %d clients, %d of them installed in each; %d programs started, each of them this one",
		*hostileCount, len(w.projectClients()), hostileClients, w.started)
}

func (w *hostileWorld) machine(project bool) clients.Machine {
	m := clients.Machine{GOOS: runtime.GOOS, Home: w.home, Program: w.program, LookPath: exec.LookPath, Getenv: func(name string) string {
		return map[string]string{"XDG_CONFIG_HOME": filepath.Join(w.home, "config")}[name]
	}}
	if project {
		m.Folder = w.project
	}
	return m
}

func (w *hostileWorld) projectClients() (ids []string) {
	for _, c := range clients.All() {
		if c.HasProjectFile() {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// plant makes a hostile file for each client: in the project, or in the home for those that
// are there.
func (w *hostileWorld) plant(project bool) {
	m := w.machine(project)
	for _, c := range clients.All() {
		status := m.Look(c)
		if status.File == "" || project && !c.HasProjectFile() || !project && status.State == clients.Absent {
			continue
		}
		require.NoError(w, os.RemoveAll(status.File))
		name := []string{"roam", "roam", "planted"}[w.random.IntN(3)]
		plan, err := m.PlanInstall(c, clients.Server{Name: name, Command: w.program, Args: []string{"serve"}}, clients.Options{Project: project, File: true})
		require.NoError(w, err)
		require.NoError(w, os.MkdirAll(filepath.Dir(status.File), 0o700))
		if w.random.IntN(8) == 0 && project {
			w.link(status.File)
			continue
		}
		text := string(plan.After)
		for range 1 + w.random.IntN(3) {
			text = w.worsen(text, name, filepath.Ext(status.File))
		}
		require.NoError(w, os.WriteFile(status.File, []byte(text), 0o600))
	}
}

// link puts something else in the place of a file.
func (w *hostileWorld) link(file string) {
	switch w.random.IntN(4) {
	case 0:
		require.NoError(w, os.Symlink(filepath.Join(w.home, "victim.json"), file))
	case 1:
		require.NoError(w, os.Symlink(filepath.Join(w.home, "not-there.json"), file))
	case 2:
		require.NoError(w, syscall.Mkfifo(file, 0o600))
	case 3:
		require.NoError(w, os.Mkdir(file, 0o700))
	}
}

func (w *hostileWorld) one(of ...string) string { return of[w.random.IntN(len(of))] }

// clipboard is what fills a clipboard where a terminal reads it, with what turns the
// direction of a line.
const clipboard = `\u001b]52;c;QUFBQQ==\u0007\u202eevil`

// worsen changes one thing in a file.
func (w *hostileWorld) worsen(text, name, kind string) string {
	json := kind == ".json" || kind == ".jsonc"
	program := w.one(`"./evil"`, `"`+w.evil+`"`, `["./evil", "serve"]`)
	add := func(key, value string) string { return addField(text, name, kind, key, value) }
	switch w.random.IntN(9) {
	case 0:
		return add(w.one("cmd", "Command", "exec", "program", "run", "bin", "executable", "commandLine", "headersHelper", "setup"), program)
	case 1:
		if json {
			return add(w.one("command", `comm\u0061nd`, "args"), program)
		}
		return add("cmd2", program)
	case 2:
		return strings.ReplaceAll(text, w.program, w.one("./evil", w.evil, "evil", "/bin/sh", "../"+filepath.Base(w.project)+"/evil"))
	case 3:
		variables := map[bool]string{true: `{"LD_PRELOAD": "./evil.so", "PATH": "."}`, false: `{LD_PRELOAD = "./evil.so", PATH = "."}`}[kind != ".toml"]
		return add(w.one("env", "environment", "envs"), variables)
	case 4:
		return add(w.one("envFile", "cwd", "working_directory", "url", "serverUrl"), w.one(`"."`, `"http://127.0.0.1:3939/mcp"`, `"./.env"`))
	case 5:
		return strings.Replace(text, "serve", w.one("remove", "history", "sandbox"), 1)
	case 6:
		return add("args2", `["serve", "--log-file", "`+filepath.Join(w.home, "victim.json")+`"]`)
	case 7:
		if json {
			return add("note", `"`+clipboard+`"`)
		}
		return text
	default:
		if w.random.IntN(6) == 0 {
			return add("padding", `"`+strings.Repeat("x", 5<<20)+`"`)
		}
		return text + w.one("", "\n", "\x00", "]", "<<<<<<< HEAD\n")
	}
}

// addField puts a field into the entry, before the others or behind them.
func addField(text, name, kind, key, value string) string {
	switch kind {
	case ".toml":
		return strings.TrimRight(text, "\n") + "\n" + key + " = " + value + "\n"
	case ".yaml":
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		last := lines[len(lines)-1]
		for _, line := range lines {
			if strings.Contains(line, "command:") {
				last = line
			}
		}
		indent := last[:len(last)-len(strings.TrimLeft(last, " "))]
		i := slices.Index(lines, last)
		return strings.Join(slices.Insert(lines, i, indent+key+": "+value), "\n") + "\n"
	}
	return strings.Replace(text, `"`+name+`": {`, `"`+name+`": { "`+key+`": `+value+`,`, 1)
}

// environment is that of the program. Without signals between goroutines the watch costs little.
func (w *hostileWorld) environment() []string {
	return append(environmentOf(w.home), "GODEBUG=asyncpreemptoff=1")
}

// run runs the program in the project, and looks what it started, printed and changed.
func (w *hostileWorld) run(strace string, args ...string) {
	w.Helper()
	before := w.snapshot()
	watched := filepath.Join(w.home, "watched")
	ctx, cancel := context.WithTimeout(w.Context(), 10*patience)
	defer cancel()
	command := exec.CommandContext(ctx, strace, append([]string{"-f", "--seccomp-bpf", "-qq", "-s", "4096", "-e", "trace=execve,execveat", "-o", watched, w.program}, args...)...)
	command.Env, command.Dir = w.environment(), w.project
	output, err := command.CombinedOutput()
	if ctx.Err() != nil {
		w.Fatalf("%q hangs: %v", args, err)
	}
	if at := bytes.IndexFunc(output, func(r rune) bool { return r != '\n' && textsafe.Unshowable(r) }); at >= 0 {
		w.Errorf("%q prints %q", args, output[max(0, at-80):min(len(output), at+80)])
	}
	w.sawOnlyOurs(watched, args)
	for path, was := range w.snapshot() {
		if before[path] != was && !w.mayChange(path, args) {
			w.Errorf("%q changes %s", args, path)
		}
	}
}

var execLine = regexp.MustCompile(`execve(?:at)?\((?:[^,"]+, )?"([^"]*)"`)

// sawOnlyOurs reads what was started.
func (w *hostileWorld) sawOnlyOurs(watched string, args []string) {
	text, err := os.ReadFile(watched)
	require.NoError(w, err)
	ours, err := os.Stat(w.program)
	require.NoError(w, err)
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		match := execLine.FindStringSubmatch(line)
		if match == nil {
			if strings.Contains(line, "execve") && !strings.Contains(line, "resumed") {
				w.Errorf("%q starts what is not understood: %s", args, line)
			}
			continue
		}
		w.started++
		if info, err := os.Stat(match[1]); err != nil || !os.SameFile(info, ours) {
			w.Errorf("%q starts %s", args, line)
		}
	}
	if _, err := os.Stat(filepath.Join(w.home, "started")); err == nil {
		w.Errorf("%q has started the program of the project", args)
	}
}

// snapshot returns the files of the home and of the project with what they hold.
func (w *hostileWorld) snapshot() map[string]string {
	all := map[string]string{}
	for _, folder := range []string{w.home, w.project} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // somebody has taken it away meanwhile
			case entry.Type().IsRegular():
				text, _ := os.ReadFile(path)
				all[path] = fmt.Sprintf("%x", sha256.Sum256(text))
			default:
				all[path] = entry.Type().String()
			}
			return nil
		})
		require.NoError(w, err)
	}
	return all
}

// mayChange reports whether a file is one that a command may change: a client's of the
// project for install, a client's of the user for doctor --fix, and what the program keeps
// of its own.
func (w *hostileWorld) mayChange(path string, args []string) bool {
	for _, own := range []string{".local", "state", "data", "cache", "watched", ".roam-mcp.json.lock", sandboxOutput, ".roam"} {
		if strings.HasPrefix(path, filepath.Join(w.home, own)) {
			return true
		}
	}
	project := args[0] == "install"
	if !project && !slices.Contains(args, "--fix") {
		return false
	}
	m := w.machine(project)
	for _, c := range clients.All() {
		if file := m.Look(c).File; file != "" && (path == file || path == file+clients.BackupSuffix || path == filepath.Dir(file)) {
			return true
		}
	}
	return false
}

// screen opens the Clients screen among these files.
func (w *hostileWorld) screen(strace string) {
	w.Helper()
	watched := filepath.Join(w.home, "watched")
	command := exec.CommandContext(w.Context(), strace, "-f", "--seccomp-bpf", "-qq", "-e", "trace=execve,execveat", "-o", watched, w.program)
	command.Env, command.Dir = w.environment(), w.project
	p := inTerminal(w.T, w.home, 120, 40, command)
	p.sees("Work")
	p.presses("m")
	p.sees("Where should agents find your graphs?")
	for range 6 {
		p.presses("t", "j")
	}
	p.presses("\x03")
	p.leaves(0)
	w.sawOnlyOurs(watched, []string{"the Clients screen"})
}
