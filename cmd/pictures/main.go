// Command pictures makes the pictures of the README anew: it runs the real
// setup program in a terminal, presses keys as a person would, and writes what
// it sees as SVG.
//
//	go run ./cmd/pictures
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"roam-mcp/cmd/internal/terminal"
)

const (
	columns  = 92
	rows     = 26
	patience = 30 * time.Second
)

// shot is one picture: the keys that lead to it from the one before, and what
// must be on the screen.
type shot struct {
	name   string
	keys   []string
	awaits []string
}

func main() {
	if err := run("docs"); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	temporary, err := os.MkdirTemp("", "roam-mcp-pictures")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	program := filepath.Join(temporary, "roam-mcp")
	build := exec.Command("go", "build", "-o", program, "./cmd/roam-mcp")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("build roam-mcp: %w", err)
	}
	command := exec.Command(program, "--sandbox")
	// 256 colours: the emulator can't tell a true colour from a numbered one.
	command.Env = []string{
		"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"),
		"HOME=" + temporary, "XDG_DATA_HOME=" + filepath.Join(temporary, "data"), "XDG_STATE_HOME=" + filepath.Join(temporary, "state"),
	}
	screen, err := terminal.Start(command, columns, rows)
	if err != nil {
		return err
	}
	defer screen.Kill()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, s := range shots() {
		for _, key := range s.keys {
			if err := screen.Type(key); err != nil {
				return err
			}
		}
		if err := screen.Await(patience, s.awaits...); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if s.name == "" {
			continue
		}
		path := filepath.Join(folder, s.name+".svg")
		if err := os.WriteFile(path, []byte(render(screen)), 0o644); err != nil {
			return err
		}
		fmt.Println(strings.ReplaceAll(path, `\`, "/"))
	}
	return nil
}
