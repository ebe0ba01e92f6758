// Command pictures makes the pictures in docs anew: it runs the real program in
// a terminal, presses keys as a person would, and draws what an emulator then
// has on its screen, on a dark and on a light background.
//
//	go -C tools run ./pictures [NAME…]
//
// NAME limits it to those scenes; "moving" is the moving picture. What differs from one run to the next, such as
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
	temporary = workshop + "/tmp"
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
	defer moveOut()
	if err := prepare(); err != nil {
		return err
	}
	pen, err := newPen()
	if err != nil {
		return err
	}
	if err := stills(pen, names); err != nil || len(names) > 0 && !slices.Contains(names, filmName) {
		return err
	}
	for _, background := range []backdrop{dark(), light()} {
		film, err := shoot(pen, programAt, homeAt, background)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", filmName, background.name, err)
		}
		path := filmPath(background)
		if err := os.WriteFile(filepath.Join(root, path), film, 0o644); err != nil {
			return err
		}
		fmt.Println(filepath.ToSlash(path))
	}
	return nil
}

// prepare makes the program, and nothing else is there.
func prepare() error {
	if err := moveOut(); err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(temporary, 0o700), build(programAt))
}

// moveOut removes all that was made for the pictures.
func moveOut() error { return errors.Join(os.RemoveAll(workshop), os.RemoveAll(homeAt)) }

// filmPath is where the moving picture is kept, from the root.
func filmPath(b backdrop) string { return filepath.Join("docs", filmName+"-"+b.name+".gif") }

// stills makes the pictures of the scenes with these names, or of all.
func stills(pen *pen, names []string) error {
	chosen := slices.DeleteFunc(scenes(), func(s scene) bool { return len(names) > 0 && !slices.Contains(names, s.name) })
	if len(chosen) == 0 {
		return nil
	}
	furnished := filepath.Join(workshop, "furnished")
	if err := furnish(programAt, furnished); err != nil {
		return err
	}
	for _, s := range chosen {
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
