//go:build !unix

package ops

const openFlags = 0
