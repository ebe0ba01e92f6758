package clients

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"roam-mcp/internal/textsafe"
)

// Machine is where clients are looked for. Tests make one in a temporary home.
type Machine struct {
	GOOS   string // as runtime.GOOS names it
	Home   string // absolute
	Getenv func(string) string
	// LookPath returns the absolute path of a program. It looks in PATH and in the
	// folders where installers put programs, since desktop programs have a bare PATH.
	LookPath func(file string) (string, error)
	// Folder is the project folder. Where it is set, Look looks at the client's file in
	// that project; empty: at the user's file.
	Folder string
	// Program is the absolute path of this program. Its entries are ours whatever it is
	// called; empty: only those of programs that are called roam-mcp.
	Program string
	// Running is the absolute path of the program that runs, after links: the only one that
	// is started without asking. Empty: Program.
	Running string
	// World is what entries are compared with.
	World World
}

// ThisMachine returns the machine and the user that this process runs on and as.
func ThisMachine() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, err
	}
	m := Machine{GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv}
	if running, err := os.Executable(); err == nil {
		if m.Running, err = filepath.EvalSymlinks(running); err != nil {
			m.Running = running
		}
	}
	m.LookPath = m.lookPath
	return m, nil
}

// lookPath is exec.LookPath with the folders of installers behind PATH.
func (m Machine) lookPath(file string) (string, error) {
	found, err := exec.LookPath(file)
	if err == nil {
		return filepath.Abs(found)
	}
	for _, folder := range m.programFolders() {
		if found, err := exec.LookPath(filepath.Join(folder, file)); err == nil {
			return found, nil
		}
	}
	return "", err
}

// programFolders are the folders where installers and package managers put the programs
// of a user.
func (m Machine) programFolders() []string {
	templates := []string{
		"~/.local/bin", "~/bin", "~/.claude/local", "~/.opencode/bin", "~/.bun/bin", "~/.volta/bin", "~/.cargo/bin", "~/go/bin",
		"~/.npm-global/bin", "~/.npm-packages/bin", "{PNPM_HOME:{data}/pnpm}",
	}
	switch m.GOOS {
	case windows:
		templates = append(templates, "{support}/npm", "~/scoop/shims", "{local}/Programs/cursor/resources/app/bin", "{local}/Programs/Microsoft VS Code/bin", "{local}/Microsoft/WinGet/Links")
	case mac:
		templates = append(templates, "/opt/homebrew/bin", "/usr/local/bin", "~/Library/pnpm")
	default:
		templates = append(templates, "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin")
	}
	var folders []string
	for _, template := range templates {
		folders = append(folders, m.expand(template))
	}
	// nvm keeps the programs of each version of Node apart; the newest comes last by name.
	versions, _ := filepath.Glob(filepath.Join(m.Home, ".nvm", "versions", "node", "*", "bin"))
	for i := len(versions) - 1; i >= 0; i-- {
		folders = append(folders, versions[i])
	}
	return folders
}

// path is a file or folder on some systems.
type path struct {
	on     string // the systems, as runtime.GOOS names them, one after the other; empty: all
	at     string // template for expand
	exists bool   // it is taken only where it is there
}

// paths returns those that apply on this machine.
func (m Machine) paths(list []path) []path {
	var some []path
	for _, p := range list {
		if p.on == "" || strings.Contains(p.on, m.GOOS) {
			p.at = m.expand(p.at)
			some = append(some, p)
		}
	}
	return some
}

// expand makes a path of a template: "~" is the home folder, {support} where desktop
// programs keep a user's settings, {local} the same for this computer alone, {config} and
// {data} are the folders of the XDG Base Directory Specification, and {NAME:default} the
// value of a variable of the environment.
func (m Machine) expand(template string) string {
	expanded := template
	for range 4 { // a value of the environment that has braces itself is not expanded for ever
		open := strings.LastIndexByte(expanded, '{')
		if open < 0 {
			break
		}
		length := strings.IndexByte(expanded[open:], '}')
		if length < 0 {
			break
		}
		expanded = expanded[:open] + m.value(expanded[open+1:open+length]) + expanded[open+length+1:]
	}
	if rest, ok := strings.CutPrefix(expanded, "~"); ok {
		expanded = m.Home + rest
	}
	return filepath.FromSlash(expanded)
}

// value returns what stands for a word in braces.
func (m Machine) value(word string) string {
	name, otherwise, _ := strings.Cut(word, ":")
	switch name {
	case "config":
		name, otherwise = "XDG_CONFIG_HOME", "~/.config"
	case "data":
		name, otherwise = "XDG_DATA_HOME", "~/.local/share"
	case "local":
		name, otherwise = "LOCALAPPDATA", "~/AppData/Local"
	case "support":
		switch m.GOOS {
		case windows:
			name, otherwise = "APPDATA", "~/AppData/Roaming"
		case mac:
			return "~/Library/Application Support"
		default:
			name, otherwise = "XDG_CONFIG_HOME", "~/.config"
		}
	}
	if set := m.Getenv(name); set != "" {
		return set
	}
	return otherwise
}

// short returns a path with the home folder as "~".
func (m Machine) short(path string) string { return textsafe.ShortPath(m.Home, path) }

// file returns the file of a client that is edited or would be; empty where it has none
// on this system. Of several the first one that is there is taken, else the first one
// whose folder is, else the first one.
func (m Machine) file(c Client, project bool) string {
	var list []path
	if project {
		for _, name := range c.project {
			list = append(list, path{at: filepath.Join(m.Folder, filepath.FromSlash(name))})
		}
	} else {
		list = m.paths(c.files)
	}
	for _, p := range list {
		if there(p.at) {
			return p.at
		}
	}
	withFolder, first := "", ""
	for _, p := range list {
		if p.exists {
			continue
		}
		if first == "" {
			first = p.at
		}
		if withFolder == "" && !project && there(filepath.Dir(p.at)) {
			withFolder = p.at
		}
	}
	if withFolder != "" {
		return withFolder
	}
	return first
}

// script returns the file of commands that stands in the way of an edit, empty where
// there is none, as in a project folder.
func (m Machine) script(c Client, project bool) string {
	if project {
		return ""
	}
	for _, p := range m.paths(c.script) {
		if there(p.at) {
			return p.at
		}
	}
	return ""
}

// isHere reports whether the client is on this machine, by its folders and programs.
func (m Machine) isHere(c Client) bool {
	for _, p := range m.paths(c.here) {
		if there(p.at) {
			return true
		}
	}
	for _, program := range c.programs {
		if _, err := m.LookPath(program); err == nil {
			return true
		}
	}
	return false
}

// there reports whether something is at a path.
func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// runs reports whether there is a program at a path.
func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && (runtime.GOOS == windows || info.Mode()&fs.ModePerm&0o111 != 0)
}
