//go:build !unix

package filesource

const openFlags = 0
