//go:build !unix && !windows

package regularfile

const (
	withoutWaiting   = 0
	withoutFollowing = 0
)
