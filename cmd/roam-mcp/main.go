// Command roam-mcp connects AI agents to Roam Research: it sets graphs up in
// the terminal, serves them over MCP, and brings a Roam of its own to try it on.
//
// This package is the command tree: flags, wiring and exit codes. What the
// commands do lives in the packages beside cmd.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(run())
}

// run is main without the exit, so that tests can start the program by name.
func run() int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as it is under nohup
		ends = append(ends, syscall.SIGHUP) // the terminal's window was closed
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	return execute(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
}
