package main

import (
	"context"
	"os/exec"
	"runtime"
	"slices"

	"roam-mcp/localapi"
)

// openRoam opens Roam Desktop by deep link. It gives nil where this machine has
// nothing to open links with.
func openRoam() func(context.Context, localapi.Graph) error {
	open := linkOpener()
	if open == nil {
		return nil
	}
	return func(ctx context.Context, graph localapi.Graph) error { return open(ctx, deepLink(graph)) }
}

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

// deepLink is Roam's own link to a graph (LOCAL_API.md 1.10). Graph names need
// no escaping.
func deepLink(graph localapi.Graph) string {
	switch {
	case !localapi.ValidGraphName(graph.Name):
		return "roam://open"
	case graph.Type == localapi.Offline:
		return "roam://#/offline/" + graph.Name
	}
	return "roam://#/app/" + graph.Name
}
