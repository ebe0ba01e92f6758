// Package netutil finds out which process listens on a port of this machine, and keeps
// connections that nobody uses from delaying the end of an HTTP server.
package netutil
