package clients

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
)

// CodeNotStarted is the code of errors about an entry that no program is started for.
const CodeNotStarted problem.Code = "CLIENT_ENTRY_NOT_STARTED"

// Launch is how a client starts the server of an entry.
type Launch struct {
	Client  string // its ID
	Name    string // of the entry
	Command string // absolute path where it can be found with the PATH that the client gives
	Args    []string
	Env     []string // the whole environment, "KEY=value"
	Dir     string   // working folder
	Graphs  []string // nicknames of the graphs that it serves alone; empty: every enabled one
	// Program is the file that runs for Command where that is this program: the one that
	// runs already. Empty: Command is another one.
	Program string
	// Doubt says why it is started only after a yes, a sentence that names the program, its
	// arguments and its variables. Empty: it is this program, with what "install" writes.
	Doubt string
	// Never says that it is not started at all: its program lies in the project's folder.
	Never bool
}

// environment is what a client gives of its own environment to the servers it starts.
type environment uint8

const (
	// sdkEnvironment is what the TypeScript and the Python SDK of MCP give by default
	// (getDefaultEnvironment in src/client/stdio.ts, mcp/client/stdio). Most clients are
	// made with one of them; it is assumed where nothing else is known, being the least.
	sdkEnvironment environment = iota
	// fullEnvironment is everything. Seen with Claude Code 2.1.197, opencode 1.18.33 and
	// Qwen Code 0.15.10; assumed of the others, which was not tried.
	fullEnvironment
	// codexEnvironment is the list of Codex (codex-rs/rmcp-client/src/utils.rs), and what
	// an entry names in env_vars.
	codexEnvironment
	// namelessSecrets is everything but variables whose names are those of secrets, as
	// Gemini CLI does (packages/core/src/services/environmentSanitization.ts).
	namelessSecrets
)

var (
	sdkUnix      = []string{"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"}
	sdkWindows   = []string{"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE", "PROGRAMFILES"}
	codexUnix    = []string{"HOME", "LOGNAME", "PATH", "SHELL", "USER", "__CF_USER_TEXT_ENCODING", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ"}
	codexWindows = []string{
		"PATH", "PATHEXT", "SHELL", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "USERNAME", "USERDOMAIN", "USERPROFILE", "HOMEDRIVE", "HOMEPATH",
		"PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "PROGRAMDATA", "LOCALAPPDATA", "APPDATA", "TEMP", "TMP", "TMPDIR", "POWERSHELL", "PWSH",
	}
	secretNames = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "AUTH", "CREDENTIAL", "CREDS", "PRIVATE", "CERT"}
	// launchdNames is what a program has on macOS that the desktop starts, which reads no
	// profile of a shell; its PATH is launchdPath (launchctl(1), path_helper(8)).
	launchdNames = []string{"HOME", "LOGNAME", "USER", "SHELL", "TMPDIR", "SSH_AUTH_SOCK", "__CF_USER_TEXT_ENCODING", "XPC_FLAGS", "XPC_SERVICE_NAME"}
)

const launchdPath = "/usr/bin:/bin:/usr/sbin:/sbin"

// Launch returns how the client starts an entry: environ, the environment of this process,
// as the client strips it, with what the entry sets. A command without a folder is looked
// for in the PATH of that environment alone, and left as it is where that has none. The
// error is a *problem.Error with CodeNotStarted.
//
// A program that the desktop starts on macOS has the PATH of launchd and "/" as its
// working folder; all others are taken to run where the person is, in the project folder
// or at home.
func (m Machine) Launch(c Client, e Entry, environ []string) (Launch, error) {
	if e.Command == "" {
		return Launch{}, &problem.Error{
			Code: CodeNotStarted, Message: fmt.Sprintf("%s starts no program for %q: the entry is an address, or lacks a command.", c.Name, e.Name),
			Hint: problem.Say("Write the entry anew: %v", problem.Run("install", c.ID)),
		}
	}
	env := m.stripped(c, e, environ)
	for _, name := range sortedKeys(e.Env) {
		env = m.set(env, name, e.Env[name])
	}
	l := Launch{Client: c.ID, Name: e.Name, Command: e.Command, Args: slices.Clone(e.Args), Env: env, Dir: m.workingFolder(c, e), Graphs: e.Gives.Graphs}
	if !strings.ContainsAny(l.Command, `/\`) {
		for _, folder := range filepath.SplitList(m.get(env, "PATH")) {
			if found, ok := m.program(filepath.Join(folder, l.Command)); ok && filepath.IsAbs(found) {
				l.Command = found
				break
			}
		}
	}
	m.doubt(&l, e)
	return l, nil
}

// program returns the program at a path, with the ending that Windows lets people leave
// out.
func (m Machine) program(path string) (string, bool) {
	if runs(path) && (runtime.GOOS != windows || filepath.Ext(path) != "") {
		return path, true
	}
	if m.GOOS == windows && runs(path+".exe") {
		return path + ".exe", true
	}
	return path, false
}

func (m Machine) workingFolder(c Client, e Entry) string {
	switch {
	case e.Dir != "" && filepath.IsAbs(e.Dir):
		return e.Dir
	case e.Dir != "":
		return filepath.Join(m.Home, strings.TrimPrefix(e.Dir, "~"))
	case c.desktop && m.GOOS == mac:
		return string(os.PathSeparator)
	case m.Folder != "":
		return m.Folder
	}
	return m.Home
}

// stripped returns the environment that the client gives to the server of an entry.
func (m Machine) stripped(c Client, e Entry, environ []string) []string {
	env := slices.Clone(environ)
	keep := func(names []string) {
		env = slices.DeleteFunc(env, func(variable string) bool {
			name, value, _ := strings.Cut(variable, "=")
			return strings.HasPrefix(value, "()") || !slices.ContainsFunc(names, func(other string) bool { return m.sameName(name, other) })
		})
	}
	if c.desktop && m.GOOS == mac {
		keep(launchdNames)
		env = m.set(env, "PATH", launchdPath)
	}
	unix := m.GOOS != windows
	switch c.env {
	case sdkEnvironment:
		keep(choose(unix, sdkUnix, sdkWindows))
	case codexEnvironment:
		keep(append(slices.Clone(choose(unix, codexUnix, codexWindows)), e.passed...))
	case namelessSecrets:
		env = slices.DeleteFunc(env, func(variable string) bool {
			name, _, _ := strings.Cut(strings.ToUpper(variable), "=")
			return slices.ContainsFunc(secretNames, func(part string) bool { return strings.Contains(name, part) })
		})
	case fullEnvironment:
	}
	return env
}

func choose[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// sameName compares the names of two variables, which have no case on Windows.
func (m Machine) sameName(a, b string) bool {
	return a == b || m.GOOS == windows && strings.EqualFold(a, b)
}

func (m Machine) set(env []string, name, value string) []string {
	env = slices.DeleteFunc(env, func(variable string) bool {
		other, _, _ := strings.Cut(variable, "=")
		return m.sameName(name, other)
	})
	return append(env, name+"="+value)
}

func (m Machine) get(env []string, name string) string {
	for _, variable := range env {
		if other, value, _ := strings.Cut(variable, "="); m.sameName(name, other) {
			return value
		}
	}
	return ""
}
