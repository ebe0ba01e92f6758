//go:build unix

package files

import "syscall"

// withoutWaiting keeps the opening of a named pipe from waiting for its other side, and
// a terminal from becoming this process's own.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY

// withoutFollowing keeps the opening from following a link at the end of the path.
const withoutFollowing = syscall.O_NOFOLLOW
