//go:build !unix && !windows

package files

const (
	withoutWaiting   = 0
	withoutFollowing = 0
)
