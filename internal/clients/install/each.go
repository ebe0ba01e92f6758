package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
)

// unproven is the error of a client whose entry is written, and whose proof failed.
type unproven struct {
	error
	step string // that failed: "call on Work"; empty: the proof did not begin
}

func (u *unproven) Unwrap() error { return u.error }

// Unproven returns the error of a client whose entry is written, and whose proof failed with
// err.
func Unproven(result Proof, err error) error {
	u := &unproven{error: err}
	if step, ok := result.FailedAt(err); ok {
		u.step = step.Name()
	}
	return u
}

// told returns the error of one client alone. It says that the entry stays.
func (u *unproven) told() error {
	told := *problem.FromError(u.error)
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

// Each does something with each of several clients. A failure of one does not keep the
// others from it: where there are several, each is told, with the hint as text has it, and
// the error at the end says how many were not done, and how many are written without having
// been proven. What is the same for several is said once, and what mends the first proof
// that failed at the end.
func Each(ctx context.Context, all []clients.Client, do func(clients.Client) error, text func(*problem.Error) string, tell func(clients.Client, string)) error {
	var failures []error
	var written []*unproven
	said := map[string]bool{}
	for _, client := range all {
		err := do(client)
		if err == nil {
			continue
		}
		var u *unproven
		isWritten := errors.As(err, &u)
		if len(all) == 1 || ctx.Err() != nil {
			if isWritten && ctx.Err() == nil {
				return u.told()
			}
			return err
		}
		known := *problem.FromError(err)
		if isWritten {
			written = append(written, u)
			if hint := problem.FromError(written[0]).Hint; text(&problem.Error{Hint: known.Hint}) == text(&problem.Error{Hint: hint}) {
				known.Hint = problem.Hint{}
			}
		}
		what := text(&known)
		if said[what] {
			what = "the same."
		}
		said[what] = true
		tell(client, what)
		failures = append(failures, err)
	}
	return undone(failures, written, len(all))
}

// undone returns the error of several clients of which some failed; nil where none did.
func undone(failures []error, written []*unproven, of int) error {
	if len(failures) == 0 {
		return nil
	}
	told := &problem.Error{Code: problem.FromError(failures[0]).Code, Err: errors.Join(failures...)}
	if n := len(failures) - len(written); n > 0 {
		told.Message = fmt.Sprintf("Not done for %d of %d clients, as was said above.", n, of)
	}
	if len(written) > 0 {
		told.Message = strings.TrimSpace(told.Message + " " + writtenNotProven(written, of))
		told.Hint = problem.FromError(written[0]).Hint.Then("The same command then proves them again.")
	}
	return told
}
