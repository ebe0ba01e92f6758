package undo

import (
	"errors"
	"fmt"
	"slices"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/ops"
)

// change is a recorded change as it is planned with.
type change struct {
	Change
	id    int64
	done  bool // it was done, or may have been
	note  bool // it says that another one was taken back, and was no request to Roam
	lacks []string
	// unfinished: it is taken back but for the pages that it made, and for what is left.
	unfinished bool
	left       []string
}

// only leaves of what a change touched a page or block alone, with what was below it before or
// after.
func (c *change) only(uid string) {
	of := append([]string{uid}, slices.Concat(c.Before.Below(uid), c.After.Below(uid))...)
	c.Touches = slices.DeleteFunc(slices.Clone(c.Touches), func(t fact.Touch) bool { return !slices.Contains(of, t.UID) })
}

func readChange(record history.ChangeRecord) (change, error) {
	c := change{
		Change: Change{
			Number: fmt.Sprintf("%d.%d", record.Call, record.Seq), Class: record.Class, Touches: record.Touches,
			Kept: record.Request != nil, Known: record.State == history.StateDone,
			Late: record.AfterBy == history.ByLate, Replied: record.Done.UnixMilli(),
		},
		id: record.ID, lacks: record.Lacks,
		done: record.State == history.StateDone || record.State == history.StateUnknown || record.State == history.StateOpen,
		note: record.Action == "", unfinished: record.UndoneBy != 0,
		left: slices.DeleteFunc(slices.Clone(record.UndoneLeft), func(left string) bool { return left == history.PagesLeft }),
	}
	var errBefore, errAfter error
	c.Before, errBefore = fact.Parse(record.Before)
	c.After, errAfter = fact.Parse(record.After)
	if err := errors.Join(errBefore, errAfter); err != nil {
		return change{}, fmt.Errorf("change %s: %w", c.Number, err)
	}
	w, err := ops.ParseWrite(record.Action, record.Request, c.Before)
	if err != nil { // it is none that says what it left
		return c, nil //nolint:nilerr // as above
	}
	if !c.Known && len(c.After.Things) == 0 {
		c.After = ops.Supposed(w, c.Before)
	}
	if c.Class.Makes() {
		c.Texts = ops.Texts(w)
	}
	return c, nil
}
