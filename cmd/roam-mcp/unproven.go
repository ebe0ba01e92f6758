package main

import (
	"fmt"
	"slices"
	"strings"

	"roam-mcp/proof"
)

// unproven is the error of a client whose entry is written, and whose proof failed.
type unproven struct {
	error
	step string // that failed: "call on Work"; empty: the proof did not begin
}

func (u *unproven) Unwrap() error { return u.error }

// failedStep names the step that a proof failed at with that error; "" where there is none.
func failedStep(result proof.Result, err error) string {
	if step, ok := result.FailedAt(err); ok {
		return nameOf(step)
	}
	return ""
}

// nameOf names a step of a proof: "call on Work".
func nameOf(step proof.Step) string {
	switch {
	case step.Graph != "":
		return step.ID.String() + " on " + step.Graph
	case step.ID == proof.Call:
		return step.ID.String() + " on a graph"
	}
	return step.ID.String()
}

// sayUnproven returns the error of one client that is written and not proven. It says
// that the entry stays.
func sayUnproven(u *unproven) error {
	told := *explain(u.error)
	told.Message = strings.TrimSpace(writtenNotProven([]*unproven{u}, 1) + " " + told.Message)
	told.Err = u
	return &told
}

// writtenNotProven says of which of several clients the entries are written without having
// been proven, and what failed.
func writtenNotProven(all []*unproven, of int) string {
	var steps []string
	for _, u := range all {
		if u.step != "" && !slices.Contains(steps, u.step) {
			steps = append(steps, u.step)
		}
	}
	at := ""
	if len(steps) > 0 {
		at = ", at: " + strings.Join(steps, ", ")
	}
	if of == 1 {
		return "The entry is written, but its proof failed" + at + "."
	}
	return fmt.Sprintf("The entries are written, but the proof failed for %d of %d clients%s.", len(all), of, at)
}
