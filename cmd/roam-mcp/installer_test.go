//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// provable is a person's home with a installer for it, whose entries start the real program.
type provable struct {
	*testing.T
	home      string
	installer *install.Installer
}

// newProvable connects demo as Work, and has Cursor there, which gives servers six
// variables of its environment.
func newProvable(t *testing.T) (provable, *standIn) {
	t.Helper()
	home := t.TempDir()
	roam := startRoam(t, home, "--approve", "allow")
	roam.command("connect", "demo", "--nickname", "Work")
	hasClients(t, home, ".cursor")
	w := dirs{home: home, config: filepath.Join(home, configName)}
	installer, err := w.installer()
	require.NoError(t, err)
	installer.Machine = clients.Machine{
		GOOS: "linux", Home: home, Getenv: func(string) string { return "" },
		LookPath: func(string) (string, error) { return "", exec.ErrNotFound }, Running: programPath(t, "roam-mcp"),
	}
	installer.Server.Command, installer.Environ = programPath(t, "roam-mcp"), append(environmentOf(home), "ROAM_MCP_CONFIG=/nowhere")
	installer.Proofs.Path = filepath.Join(home, "proofs.json")
	installer.Called = func(...string) time.Time { return time.Time{} }
	return provable{t, home, installer}, roam
}

// installs has Cursor given the program.
func (p provable) installs() {
	p.Helper()
	plan, err := p.installer.Plan(p.Context(), "cursor", clients.Choice{})
	require.NoError(p, err)
	require.NoError(p, p.installer.Apply(p.Context(), plan))
}

// has the entry of Cursor start a command.
func (p provable) has(command string) {
	p.Helper()
	text := `{"mcpServers": {"roam": {"command": "` + command + `", "args": ["serve"]}}}`
	require.NoError(p, os.WriteFile(filepath.Join(p.home, ".cursor", "mcp.json"), []byte(text), 0o600))
}

// proves wants the proof to succeed.
func (p provable) proves() {
	p.Helper()
	result, err := p.installer.Prove(p.Context(), "cursor", "", true, nil)
	if err != nil || result.Tools == 0 || len(result.Steps) != 4 || result.Steps[3].Graph != "Work" {
		p.Fatalf("%v\n%+v", err, result)
	}
}

// fails wants the proof to fail at a step, with an error whose text holds words, and with
// that mend.
func (p provable) fails(at install.ProofStepID, mend install.Mend, words string) {
	p.Helper()
	result, err := p.installer.Prove(p.Context(), "cursor", "", true, nil)
	var last install.ProofStep
	if len(result.Steps) > 0 {
		last = result.Steps[len(result.Steps)-1]
	}
	known, ok := problem.As(err)
	if !ok || !last.Failed || last.ID != at || last.Mend != mend || !strings.Contains(known.Message, words) || known.Hint.IsZero() {
		p.Fatalf("it fails at %v with mend %v: %v", last.ID, last.Mend, err)
	}
}

func (p provable) proven() bool {
	p.Helper()
	for _, status := range p.installer.Look(p.Context()) {
		if status.Client.ID == "cursor" {
			return !status.Proven.IsZero()
		}
	}
	return false
}

func TestProof(t *testing.T) {
	p, roam := newProvable(t)
	run := func(name string, test func(p provable)) {
		t.Run(name, func(t *testing.T) { test(provable{t, p.home, p.installer}) })
	}
	run("passes where the client strips variables", func(p provable) {
		p.installs()
		if p.proven() {
			p.Error("it is proven before it was")
		}
		p.proves()
		if !p.proven() {
			p.Error("it is not remembered")
		}
	})
	run("names a program that is gone, and writing anew mends it", func(p provable) {
		p.has("/opt/roam-mcp/1.0/roam-mcp")
		if p.proven() {
			p.Error("another command is proven")
		}
		p.fails(install.StepStart, install.MendWriteAnew, "/opt/roam-mcp/1.0/roam-mcp")
		p.installs()
		p.proves()
	})
	run("wants the program installed where its own path is gone too", func(p provable) {
		p.has("/opt/roam-mcp/1.0/roam-mcp")
		command := p.installer.Server.Command
		p.installer.Server.Command = filepath.Join(p.home, "moved", "roam-mcp")
		p.fails(install.StepStart, install.MendInstallProgram, "/opt/roam-mcp/1.0/roam-mcp")
		p.installer.Server.Command = command
	})
	run("names a PATH of nothing, and writing anew mends it", func(p provable) {
		p.has("roam-mcp")
		environ := p.installer.Environ
		p.installer.Environ = append(withoutPath(environ), "PATH=")
		p.fails(install.StepStart, install.MendWriteAnew, "by its name alone")
		p.installs()
		p.proves()
		p.installer.Environ = environ
	})
	run("does not start another program unasked", func(p provable) {
		other := filepath.Join(p.home, "other", "roam-mcp")
		require.NoError(p, os.MkdirAll(filepath.Dir(other), 0o700))
		require.NoError(p, os.WriteFile(other, []byte("#!/bin/sh\n"), 0o700))
		p.has(other)
		result, err := p.installer.Prove(p.Context(), "cursor", "", false, nil)
		if problem.CodeOf(err) != install.CodeOtherProgram || result.Steps[0].Mend != install.MendAgree || !strings.Contains(err.Error(), other+" serve") {
			p.Errorf("%v %+v", err, result)
		}
	})
	run("names a program that ends", func(p provable) {
		p.has(lookPath(p.T, "false"))
		p.installer.Machine.Program = lookPath(p.T, "false")
		p.fails(install.StepInitialize, install.MendWriteAnew, "ended before it answered initialize, with code 1")
		p.installer.Machine.Program = ""
		p.installs()
		p.proves()
	})
	run("names a Roam that is closed, and opening it mends it", func(p provable) {
		roam.dies()
		p.fails(install.StepCall, install.MendOpenRoam, "127.0.0.1")
		if p.proven() {
			p.Error("it is proven although its proof failed")
		}
		roam = startRoam(t, p.home, "--approve", "allow") // it outlives this subtest
		p.proves()
	})
	run("names a revoked token", func(p provable) {
		(&person{T: p.T, home: p.home, config: filepath.Join(p.home, configName)}).hasRevokedToken()
		p.fails(install.StepCall, install.MendReauthorize, "token")
	})
	run("passes where another graph answers, and is remembered", func(p provable) {
		roam.command("connect", "notebook", "--nickname", "Notebook")
		result, err := p.installer.Prove(p.Context(), "cursor", "", true, nil)
		silent := result.Silent()
		if err != nil || !p.proven() || !slices.Equal(result.Answered(), []string{"Notebook"}) || len(silent) != 1 || silent[0].Graph != "Work" || silent[0].Mend != install.MendReauthorize {
			p.Errorf("%v, proven %t, silent: %+v", err, p.proven(), silent)
		}
	})
	run("ends with its context", func(p provable) {
		ctx, cancel := context.WithCancel(p.Context())
		cancel()
		if _, err := p.installer.Prove(ctx, "cursor", "", false, nil); err == nil {
			p.Error("it succeeds")
		}
	})
}

func withoutPath(environ []string) (kept []string) {
	for _, variable := range environ {
		if !strings.HasPrefix(variable, "PATH=") {
			kept = append(kept, variable)
		}
	}
	return kept
}

func lookPath(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err)
	return path
}

func TestClientsByLink(t *testing.T) {
	var opened []string
	var failure error
	installer := &install.Installer{
		Machine: clients.Machine{GOOS: "linux", Home: t.TempDir(), Getenv: func(string) string { return "" }, LookPath: func(string) (string, error) { return "", exec.ErrNotFound }},
		Server:  clients.Server{Name: entryName, Command: "/opt/roam-mcp", Args: []string{"serve"}},
		World:   func(context.Context) clients.World { return clients.World{} },
		OpenLink: func(_ context.Context, link string) error {
			opened = append(opened, link)
			return failure
		},
	}
	// installs runs what install does for Cherry Studio, and returns what it prints.
	installs := func() (out, told string, err error) {
		answers, err := os.Create(filepath.Join(t.TempDir(), "answers"))
		require.NoError(t, err)
		defer answers.Close()
		input, err := os.Open(os.DevNull)
		require.NoError(t, err)
		defer input.Close()
		var stderr strings.Builder
		a := clientCommands{&app{streams: streams{in: input, out: answers, err: &stderr}}}
		client, _ := clients.Find("cherry-studio")
		plan, err := installer.Plan(t.Context(), client.ID, clients.Choice{})
		require.NoError(t, err)
		_, err = a.installOne(t.Context(), installer, client, plan, installOptions{})
		text, readErr := os.ReadFile(answers.Name())
		require.NoError(t, readErr)
		return string(text), stderr.String(), err
	}
	t.Run("opens the link, and says where to agree", func(t *testing.T) {
		out, _, err := installs()
		if err != nil || out != "The link is open. Agree in Cherry Studio.\n" || len(opened) != 1 || !strings.HasPrefix(opened[0], "cherrystudio://mcp/install?servers=") {
			t.Errorf("%v: %q, opened %q", err, out, opened)
		}
	})
	t.Run("shows the link where it could not be opened", func(t *testing.T) {
		failure = exec.ErrNotFound
		_, told, err := installs()
		if problem.CodeOf(err) != install.CodeNotOpened || !strings.Contains(told, opened[0]) {
			t.Errorf("%v: %q", err, told)
		}
	})
	t.Run("shows the link where nothing opens links", func(t *testing.T) {
		installer.OpenLink = nil
		out, _, err := installs()
		if err != nil || !strings.Contains(out, opened[0]) || len(opened) != 2 {
			t.Errorf("%v: %q", err, out)
		}
	})
}
