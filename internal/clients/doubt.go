package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
)

// doubt fills in whether a launch is this program with what "install" writes, which alone
// is started without asking, and what the question is where it is not.
func (m Machine) doubt(l *Launch, e Entry) {
	path := l.Command
	if !filepath.IsAbs(path) && strings.ContainsAny(path, `/\`) {
		path = filepath.Join(l.Dir, path)
	}
	var why []string
	if m.isRunning(path) {
		l.Program = m.running()
	} else {
		why = append(why, "it is not the program that runs now, "+m.short(m.running()))
		l.Never = m.Folder != "" && (within(m.Folder, path) || within(resolved(m.Folder), resolved(path)))
	}
	if l.Never {
		why = append(why, "it lies in the folder of the project")
	}
	if e.Gives.doubtful || m.Folder != "" && len(e.Gives.Other) > 0 || !e.Ours {
		why = append(why, "these are arguments that install does not write")
	}
	if m.Folder != "" && e.Ours && !e.Here && !e.Gives.Sandbox {
		why = append(why, "it names another configuration than yours")
	}
	variables := slices.DeleteFunc(sortedKeys(e.Env), func(name string) bool { return m.Folder == "" && isPlainVariable(name) })
	if len(variables) > 0 {
		why = append(why, "it sets variables of the environment")
	}
	if len(why) == 0 {
		return
	}
	line := problem.ShellOf(m.GOOS).Join(append([]string{l.Command}, l.Args...)...)
	for _, name := range variables {
		line += fmt.Sprintf(", with %s=%s", name, e.Env[name])
	}
	l.Doubt = fmt.Sprintf("The entry %s starts %s: %s.", e.Name, line, strings.Join(why, ", and "))
}

// isPlainVariable reports whether a variable says to this program where its files are, and
// nothing to what loads it.
func isPlainVariable(name string) bool {
	return strings.HasPrefix(name, "ROAM_MCP_") || strings.HasPrefix(name, "XDG_")
}

func (m Machine) running() string {
	if m.Running != "" {
		return m.Running
	}
	return m.Program
}

// isRunning reports whether a path leads to the program that runs.
func (m Machine) isRunning(path string) bool { return m.running() != "" && SameFile(path, m.running()) }

// resolved returns a path without links, as far as it is there.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// within reports whether a path is a folder or below it.
func within(folder, path string) bool {
	below, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(below)
}

// SameFile reports whether two paths lead to one file, or are the same.
func SameFile(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	one, err := os.Stat(a)
	other, bad := os.Stat(b)
	return err == nil && bad == nil && os.SameFile(one, other)
}
