// Command pictures makes the pictures in docs anew: it runs the real program in
// a terminal, presses keys as a person would, and draws what an emulator then
// has on its screen, on a dark and on a light background.
//
//	go -C tools run ./pictures [NAME…]
//
// NAME limits it to those scenes. What differs from one run to the next, such as
// ports and tokens, is replaced, so that a picture changes only when its screen
// does.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	root     = ".." // from the folder tools, in which it runs
	patience = time.Minute
	// workshop is where the program is. Screens show the
	// program's path: this one is as long as the one that takes its place.
	workshop  = "/tmp/rmcp-pics"
	programAt = workshop + "/roam-mcp"
	shownAt   = "/usr/local/bin/roam-mcp"
	// The home folder's path is as long as its stand-in too.
	homeAt      = "/tmp/rmcp"
	shownHomeAt = "/home/ada"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func run(names []string) error {
	if err := errors.Join(os.RemoveAll(workshop), os.RemoveAll(homeAt)); err != nil {
		return err
	}
	defer os.RemoveAll(workshop)
	defer os.RemoveAll(homeAt)
	if err := build(programAt); err != nil {
		return err
	}
	furnished := filepath.Join(workshop, "furnished")
	if err := furnish(programAt, furnished); err != nil {
		return err
	}
	pen, err := newPen()
	if err != nil {
		return err
	}
	for _, s := range scenes() {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		for _, background := range []backdrop{dark(), light()} {
			grid, err := s.play(programAt, homeAt, furnished, background)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, background.name, err)
			}
			path := filepath.Join("docs", s.name+"-"+background.name+".png")
			if err := pen.write(filepath.Join(root, path), grid, background); err != nil {
				return err
			}
			fmt.Println(filepath.ToSlash(path))
		}
	}
	return nil
}
