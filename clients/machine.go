package clients

import (
	"os"
	"os/exec"
	"runtime"
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
}

// ThisMachine returns the machine and the user that this process runs on and as.
func ThisMachine() (Machine, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Machine{}, err
	}
	return Machine{GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv, LookPath: exec.LookPath}, nil
}
