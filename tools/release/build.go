package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// target is a system that programs are built for, as Go names it.
type target struct{ goos, goarch string }

func allTargets() []target {
	return []target{
		{"darwin", "amd64"}, {"darwin", "arm64"},
		{"linux", "amd64"}, {"linux", "arm64"},
		{"windows", "amd64"}, {"windows", "arm64"},
	}
}

// programName returns what the program is called on a system.
func programName(goos string) string {
	if goos == "windows" {
		return "roam-mcp.exe"
	}
	return "roam-mcp"
}

// program returns the path that the program of a target is built to.
func (r *release) program(t target) string {
	return filepath.Join(r.work, t.goos+"-"+t.goarch, programName(t.goos))
}

// stamp is the time that all files have.
type stamp struct{ time.Time }

// stampOf returns SOURCE_DATE_EPOCH, or the time of the commit that is checked out.
func stampOf(ctx context.Context, source string) (stamp, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		said, err := exec.CommandContext(ctx, "git", "-C", source, "log", "-1", "--format=%ct").Output()
		if err != nil {
			return stamp{}, fmt.Errorf("the time of the commit is not known, and SOURCE_DATE_EPOCH is not set: %w", err)
		}
		text = strings.TrimSpace(string(said))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return stamp{}, fmt.Errorf("%q is no time: it is in seconds since 1970", text)
	}
	return stamp{time.Unix(seconds, 0).UTC()}, nil
}

// markOf returns what a program says of itself, as package program of roam-mcp reads it: the version,
// the commit that is checked out, if git knows one, and the time that all files have.
func markOf(ctx context.Context, source, version string, at stamp) string {
	commit, _ := exec.CommandContext(ctx, "git", "-C", source, "rev-parse", "HEAD").Output() // empty in sources without git
	return fmt.Sprintf("roam-mcp-release/%s/%s/%s/", version, strings.TrimSpace(string(commit)), at.Format(time.RFC3339))
}

// build builds the program of a target, or of this system for the zero target.
func (r *release) build(ctx context.Context, t target, path string) error {
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -X main.release="+r.mark, "-o", path, "./cmd/roam-mcp")
	command.Dir, command.Stderr = r.source, os.Stderr
	command.Env = buildEnvironment(os.Environ(), t)
	if err := command.Run(); err != nil {
		return fmt.Errorf("build for %s/%s: %w", t.goos, t.goarch, err)
	}
	return nil
}

// buildEnvironment returns the environment of a build: without the settings that would
// change what comes of it, with cgo off, and for a target unless that is zero.
func buildEnvironment(environ []string, t target) []string {
	var kept []string
	for _, setting := range environ {
		name, _, _ := strings.Cut(setting, "=")
		switch name {
		case "GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64", "GOFIPS140", "GOOS", "GOARCH", "GOWORK", "CGO_ENABLED":
			// What "go env -w" has set counts where a variable is empty, so that some are set below.
		default:
			kept = append(kept, setting)
		}
	}
	kept = append(kept, "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=readonly", "GOAMD64=v1", "GOARM64=v8.0", "GOFIPS140=off")
	if t != (target{}) {
		kept = append(kept, "GOOS="+t.goos, "GOARCH="+t.goarch)
	}
	return kept
}
