package main

import (
	"context"
	"os/exec"
	"runtime"
	"slices"
)

// linkOpener returns what opens a link in the program that it is for; nil where this
// machine has nothing to open links with.
func linkOpener() func(ctx context.Context, link string) error {
	var command string
	var before []string
	switch runtime.GOOS {
	case "darwin":
		command = "open"
	case "windows":
		command, before = "rundll32", []string{"url.dll,FileProtocolHandler"}
	default:
		command = "xdg-open"
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return nil
	}
	return func(ctx context.Context, link string) error {
		return exec.CommandContext(ctx, path, append(slices.Clone(before), link)...).Run()
	}
}
