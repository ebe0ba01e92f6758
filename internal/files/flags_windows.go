package files

import "syscall"

const (
	withoutWaiting = 0
	// withoutFollowing opens what a link is in place of what it leads to, so that a look at
	// the open file tells.
	withoutFollowing = syscall.FILE_FLAG_OPEN_REPARSE_POINT
)
