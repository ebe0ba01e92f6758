package main

import (
	"regexp"
	"strings"
	"time"
)

// clock shows the times of day in a film as those of its own shots, so that they are the
// same each time: a time is when the first shot with it begins. It holds what is shown
// for each that the program has said.
type clock map[string]string

// set puts what is shown in the place of each time on the screen.
func (c clock) set(g grid, at time.Duration) {
	now := time.Date(2026, time.November, 28, 14, 2, 0, 0, time.UTC).Add(at)
	pattern := regexp.MustCompile(`\b\d\d:\d\d(:\d\d)?\b`)
	for _, row := range g {
		text := string(textOf(row))
		for _, found := range pattern.FindAllStringIndex(text, -1) {
			said := text[found[0]:found[1]]
			if c[said] == "" {
				c[said] = now.Format(time.TimeOnly)
			}
			from := len([]rune(text[:found[0]]))
			for i, char := range c[said][:len(said)] {
				row[from+i].Content = string(char)
			}
		}
	}
}

// passes waits until it is no second that has been shown, so that what happens next has a
// time of its own.
func (c clock) passes() {
	for taken := true; taken; {
		taken = false
		for said := range c {
			taken = taken || len(said) == len(time.TimeOnly) && strings.HasSuffix(said, time.Now().Format(":05"))
		}
		if taken {
			time.Sleep(10 * time.Millisecond)
		}
	}
}
