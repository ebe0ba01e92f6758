//go:build !unix

package regularfile

const withoutWaiting = 0
