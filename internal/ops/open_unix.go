//go:build unix

package ops

import "syscall"

// openFlags keep the opening of a pipe from waiting for a writer, and a
// terminal from becoming this process's own.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY
