// Package netutil is what servers and clients on this machine share: which process listens on a
// port, how much memory long messages may take, and connections that nobody uses, so that
// they don't delay the end of an HTTP server.
package netutil
