package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"roam-mcp/internal/localapi"
)

const configName = ".roam-mcp.json"

// build makes the program whose pictures are taken. Its version is the same each time.
func build(program string) error {
	command := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-X main.release=0.1.0", "-o", program, "./cmd/roam-mcp")
	command.Dir = root
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		return fmt.Errorf("build roam-mcp: %w", err)
	}
	return nil
}

// environment is that of somebody with this home folder. The program warns of a place in
// the folder for temporary files, so that is another.
func environment(home string) []string {
	return []string{
		"TMPDIR=" + temporary,
		"TERM=xterm-256color", "COLORTERM=truecolor", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"), "HOME=" + home,
	}
}

// sandboxFolder is where the sandbox's world lies in a home folder.
func sandboxFolder(home string) string {
	return filepath.Join(home, ".local", "share", "roam-mcp", "sandbox")
}

// furnish makes a home folder whose sandbox has graphs in every state.
func furnish(program, home string) error {
	folder := sandboxFolder(home)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	// The sample graphs come with a first start that is told of no others.
	first := exec.Command(program, "--sandbox", "graphs")
	first.Env, first.Stderr = environment(home), os.Stderr
	if err := first.Run(); err != nil {
		return err
	}
	sandbox := exec.Command(program, "sandbox", "--home", folder, "--approve", "allow",
		"--new-graph", "lab-log", "--new-graph", "archive-2019", "--new-graph", "reading-list", "--new-graph", "recipes")
	sandbox.Env = environment(home)
	out, err := sandbox.StdoutPipe()
	if err != nil {
		return err
	}
	if err := sandbox.Start(); err != nil {
		return err
	}
	// It says where it listens once it does.
	if _, err = bufio.NewReader(out).ReadString('\n'); err == nil {
		err = connectAll(program, home)
	}
	return errors.Join(err, sandbox.Process.Signal(os.Interrupt), sandbox.Wait(), revoke(folder))
}

// connectAll connects graphs to the sandbox that runs.
func connectAll(program, home string) error {
	command := func(args ...string) error {
		c := exec.Command(program, append([]string{"--sandbox"}, args...)...)
		c.Env = environment(home)
		out, err := c.CombinedOutput()
		if err != nil {
			return fmt.Errorf("roam-mcp %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	return errors.Join(
		command("connect", "demo", "--nickname", "Tidewater"),
		command("connect", "notebook", "--nickname", "Notebook", "--access", "read-append"),
		command("connect", "archive-2019", "--nickname", "Old", "--access", "read-only"),
		command("connect", "lab-log", "--nickname", "Lab"),
		command("disable", "Lab"),
	)
}

// revoke makes the sandbox forget the token of the old graph, by giving it one
// in the configuration that was never granted.
func revoke(folder string) error {
	path := filepath.Join(folder, configName)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, after, found := strings.Cut(string(data), `"archive-2019"`)
	at := strings.Index(after, localapi.TokenPrefix)
	if !found || at < 0 {
		return errors.New("the old graph is not in " + path)
	}
	at += len(localapi.TokenPrefix)
	end := at + localapi.TokenLength - len(localapi.TokenPrefix)
	text := before + `"archive-2019"` + after[:at] + strings.Repeat("0", end-at) + after[end:]
	return os.WriteFile(path, []byte(text), 0o600)
}

// moveIn puts a copy of the furnished home in place, or an empty one.
func moveIn(home, furnished string, empty bool) error {
	if err := os.RemoveAll(home); err != nil {
		return err
	}
	if empty {
		return os.MkdirAll(home, 0o700)
	}
	// These make two clients seem to be on this machine.
	for _, client := range []string{".cursor", ".codex"} {
		if err := os.MkdirAll(filepath.Join(home, client), 0o700); err != nil {
			return err
		}
	}
	// The copy has new modes, and that of the tokens matters.
	return errors.Join(os.CopyFS(home, os.DirFS(furnished)), os.Chmod(filepath.Join(sandboxFolder(home), configName), 0o600))
}
