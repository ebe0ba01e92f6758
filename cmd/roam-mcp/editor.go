package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
)

// editorCommand returns the command that opens a file in the person's editor, at a line; 0: at no
// line of its own. VISUAL and EDITOR name the editor, as a program or as a command line.
func editorCommand(goos string, getenv func(string) string, path string, line int) (*exec.Cmd, error) {
	for _, named := range []string{getenv("VISUAL"), getenv("EDITOR")} {
		if words := commandWords(named); len(words) > 0 {
			program, err := exec.LookPath(words[0])
			if err != nil {
				return nil, failed(fmt.Sprintf("The editor %s is not there.", words[0]), problem.Say("VISUAL or EDITOR in the environment names it: name another one."))
			}
			return exec.Command(program, append(words[1:], atLine(program, path, line)...)...), nil
		}
	}
	usual := []string{"sensible-editor", "editor", "nano", "vim", "vi"}
	if goos == "windows" {
		usual = []string{"notepad"}
	}
	for _, name := range usual {
		if program, err := exec.LookPath(name); err == nil {
			return exec.Command(program, atLine(program, path, line)...), nil
		}
	}
	return nil, failed("There is no editor here.", problem.Say("Name one in VISUAL or EDITOR in the environment."))
}

// commandWords splits a command line at spaces. One that is the path of a program is that
// program alone, since such paths may have spaces.
func commandWords(line string) []string {
	line = strings.TrimSpace(line)
	if _, err := os.Stat(line); line != "" && err == nil {
		return []string{line}
	}
	return strings.Fields(line)
}

// atLine returns the arguments with which an editor opens a file at a line, as far as that
// is known of it.
func atLine(program, path string, line int) []string {
	name := strings.TrimSuffix(strings.ToLower(filepath.Base(program)), ".exe")
	switch {
	case line <= 0:
	case slices.Contains([]string{"vi", "vim", "nvim", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "joe", "mg", "ne", "jed"}, name):
		return []string{fmt.Sprintf("+%d", line), path}
	case slices.Contains([]string{"code", "code-insiders", "codium", "cursor", "windsurf"}, name):
		return []string{"--goto", fmt.Sprintf("%s:%d", path, line)}
	case slices.Contains([]string{"subl", "hx", "helix", "zed"}, name):
		return []string{fmt.Sprintf("%s:%d", path, line)}
	}
	return []string{path}
}
