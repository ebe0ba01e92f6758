// Package doctor finds out whether everything works between Roam and the clients of
// this program, from the ground up, and how to mend what does not.
//
// It promises that a run changes nothing: what mends is a value beside what was found,
// and happens when somebody asks for it. No token is in anything that it returns. It
// knows no terminal and no sentence of the setup program.
package doctor

import (
	"context"
	"errors"
	"slices"

	"roam-mcp/internal/problem"
)

// Level says how serious a finding is.
type Level uint8

// The levels. OK and Note mean that all is well.
const (
	OK      Level = iota + 1 // as it should be
	Note                     // nothing is wrong, and a person may want to know it
	Warning                  // it works, and should be mended
	Failed                   // it does not work
	Skipped                  // not looked at, since something below it failed
)

// String returns the level as --json has it.
func (l Level) String() string {
	return [...]string{OK: "ok", Note: "note", Warning: "warning", Failed: "failed", Skipped: "skipped"}[l]
}

// MarshalText implements encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Finding is what a check has found of one thing.
type Finding struct {
	Check   string       // ID of the check
	Subject string       // what was looked at, in a word or three: "Port file", "Token of Work"
	Level   Level        // how serious it is
	Found   string       // what was found, a sentence or a part of one, on one line
	Why     string       // why it matters; empty where all is well
	Todo    problem.Hint // what a person does about it; may be empty
	Fix     *Fix         // nil: this program can't mend it
	Details []problem.Detail
}

// Well reports whether nothing needs mending.
func (f Finding) Well() bool { return f.Level == OK || f.Level == Note }

// Fix mends what was found.
type Fix struct {
	Label string // what it does, as the label of a key: "close it to others"
	Done  string // what was done, a sentence
	// Safe reports that it takes nothing away that somebody may have meant, and asks
	// nobody: it is done by --fix.
	Safe bool
	// Do mends it. Nil: a person does, at the place in Go.
	Do func(context.Context) error
	Go Target
}

// Target is where a person mends something in the setup program.
type Target struct {
	Place Place
	Name  string // nickname, canonical name of a graph or ID of a client; may be empty
}

// Place is a part of the setup program.
type Place uint8

// The places. Name of the Target is in brackets.
const (
	Nowhere     Place = iota
	Reauthorize       // [nickname] ask Roam for a new token
	Connect           // [graph's name; empty: any] connect a graph
	Enable            // [nickname]
	Client            // [client's ID; empty: all] write a client's configuration
	OpenRoam          // start Roam Desktop
	EditConfig        // open the configuration in an editor
	Import            // take over tokens
)

// Check looks at one part of the installation.
type Check struct {
	ID    string   // "port-file"
	Name  string   // what it looks at: "Port file"
	After []string // IDs of checks without which it makes no sense
	Well  string   // what is found where Run finds nothing; empty: nothing
	Run   func(context.Context, *Facts) []Finding
}

// Report is what a run has found, in the order of the checks.
type Report struct {
	Findings []Finding

	names [][]string // of the graphs that the findings tell of, each with its nickname
}

// Well reports whether nothing needs mending.
func (r Report) Well() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return !f.Well() })
}

// Count returns how many findings have a level.
func (r Report) Count(level Level) (n int) {
	for _, f := range r.Findings {
		if f.Level == level {
			n++
		}
	}
	return n
}

// Safe returns the findings that --fix mends.
func (r Report) Safe() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
		return f.Well() || f.Fix == nil || !f.Fix.Safe || f.Fix.Do == nil
	})
}

// Run runs checks in their order and reports each finding as it comes; report may be
// nil. A check whose ground has failed is skipped. The end of the context ends the
// run: what was not looked at is missing then.
func Run(ctx context.Context, checks []Check, report func(Finding)) Report {
	var r Report
	facts := &Facts{}
	failed := map[string]string{} // names of checks that failed or were skipped, by ID
	for _, check := range checks {
		if ctx.Err() != nil {
			break
		}
		for _, f := range runCheck(ctx, check, facts, failed) {
			if f.Level == Failed || f.Level == Skipped {
				failed[check.ID] = check.Name
			}
			r.Findings = append(r.Findings, f)
			if report != nil {
				report(f)
			}
		}
	}
	r.names = facts.names()
	return r
}

func runCheck(ctx context.Context, check Check, facts *Facts, failed map[string]string) []Finding {
	for _, ground := range check.After {
		if name, bad := failed[ground]; bad {
			return []Finding{{Check: check.ID, Subject: check.Name, Level: Skipped, Found: "not looked at: it needs what failed at " + name}}
		}
	}
	found := check.Run(ctx, facts)
	if len(found) == 0 && check.Well != "" {
		found = []Finding{{Level: OK, Found: check.Well}}
	}
	for i := range found {
		found[i].Check = check.ID
		if found[i].Subject == "" {
			found[i].Subject = check.Name
		}
	}
	return found
}

// Mend does the fix of a finding. The error of one that has none is an error of this
// program.
func Mend(ctx context.Context, f Finding) error {
	if f.Fix == nil || f.Fix.Do == nil {
		return errors.New("this program can't mend it")
	}
	return f.Fix.Do(ctx)
}
