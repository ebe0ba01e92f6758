//go:build unix

package install

import (
	"os/exec"
	"syscall"
)

// ownGroup has the processes that a command starts end with it.
func ownGroup(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(command *exec.Cmd) { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
