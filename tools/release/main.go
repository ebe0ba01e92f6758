// Command release builds all that is published of a version, into a folder: archives for
// six systems with the program, its manual page and its completions; bundles for Claude
// Desktop and others that take MCPB; server.json for the MCP registry; and SHA256SUMS. Beside
// them is NOTES.md, the section of CHANGELOG.md that the release is announced with.
//
//	go -C tools run ./release -version 1.2.3 [-source ..] [-out FOLDER] [-repository URL] [-only OS/ARCH,…]
//
// The same commit and version give the same bytes with the same Go, whichever folder,
// computer and day it is: paths and the environment's settings for Go are left out, and
// files have the time of the commit, or SOURCE_DATE_EPOCH.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		stop()
		os.Exit(1)
	}
}

// release is one release in the making.
type release struct {
	version    string
	source     string // the folder of the module
	out        string // the folder of what is published
	work       string // a folder of its own, gone afterwards
	repository string // its address on the web; empty: it has none yet
	targets    []target
	stamp      stamp
	mark       string            // what each program says of itself
	sums       map[string]string // SHA-256 of what was made, by its name
}

func run(ctx context.Context, args []string) (err error) {
	r := release{sums: map[string]string{}}
	only := ""
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "", "the `version`, such as 1.2.3")
	flags.StringVar(&r.source, "source", "..", "the `folder` of the module")
	flags.StringVar(&r.out, "out", "", "the `folder` to write into (default dist in -source)")
	flags.StringVar(&r.repository, "repository", "", "the `address` of the repository, whose releases have the files: https://github.com/OWNER/roam-mcp")
	flags.StringVar(&only, "only", "", "`targets` such as linux/amd64, with commas between (default: all six)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(r.version) {
		return fmt.Errorf("%q is not a version such as 1.2.3", r.version)
	}
	if r.repository != "" && !regexp.MustCompile(`^https://github\.com/[\w-]+/[\w.-]+$`).MatchString(r.repository) {
		return fmt.Errorf("%q is not an address such as https://github.com/OWNER/roam-mcp", r.repository)
	}
	if r.targets, err = chosen(only); err != nil {
		return err
	}
	if r.source, err = filepath.Abs(r.source); err != nil {
		return err
	}
	if r.out == "" {
		r.out = filepath.Join(r.source, "dist")
	}
	if r.work, err = os.MkdirTemp("", "release-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.work)) }()
	return r.make(ctx)
}

// make makes everything, in a folder that is empty or not there.
func (r *release) make(ctx context.Context) error {
	if left, _ := os.ReadDir(r.out); len(left) > 0 {
		return fmt.Errorf("%s is not empty", r.out)
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	var err error
	if r.stamp, err = stampOf(ctx, r.source); err != nil {
		return err
	}
	r.mark = markOf(ctx, r.source, r.version, r.stamp)
	documents, err := r.documents(ctx)
	if err != nil {
		return err
	}
	for _, t := range r.targets {
		if err := r.build(ctx, t, r.program(t)); err != nil {
			return err
		}
		if err := r.archive(t, documents); err != nil {
			return err
		}
	}
	bundles, err := r.bundles()
	if err != nil {
		return err
	}
	if err := r.registry(bundles); err != nil {
		return err
	}
	changes, err := os.ReadFile(filepath.Join(r.source, "CHANGELOG.md"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, "NOTES.md"), []byte(notes(changes, r.version)), 0o644); err != nil {
		return err
	}
	return r.writeSums()
}

// chosen returns the targets of that list, or all.
func chosen(only string) ([]target, error) {
	if only == "" {
		return allTargets(), nil
	}
	var targets []target
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(allTargets(), func(t target) bool { return t.goos+"/"+t.goarch == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is none of the targets", name)
		}
		targets = append(targets, allTargets()[i])
	}
	return targets, nil
}
