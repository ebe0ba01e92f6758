package undo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// The codes of what can't be taken back.
const (
	// CodeNotPossible: the journal does not have what it takes.
	CodeNotPossible problem.Code = "UNDO_NOT_POSSIBLE"
	// CodeNeedsEdit: the token for the graph may not edit.
	CodeNeedsEdit problem.Code = "UNDO_NEEDS_EDIT"
)

// Journal is what Choose and Find read of a history.Journal.
type Journal interface {
	Calls(ctx context.Context, filter history.Filter) (history.Page, error)
	Record(ctx context.Context, call int64) (history.Record, bool, error)
}

// Choice says which recorded calls are to be taken back.
type Choice struct {
	Filter history.Filter // its Limit is not heeded
	Redo   bool           // undos alone, else all but these
	All    bool           // all that are not taken back; else the newest of them
}

// step is how many calls Choose reads at a time.
const step = 50

// Choose returns the records of a Choice, the newest first.
func Choose(ctx context.Context, journal Journal, c Choice) (records []history.Record, err error) {
	c.Filter.Limit = step
	for {
		page, err := journal.Calls(ctx, c.Filter)
		if err != nil {
			return nil, err
		}
		for _, call := range page.Calls {
			c.Filter.Before = call.ID
			if history.IsUndo(call.Tool) != c.Redo || call.Tool == history.ToolRedo || !MayUndo(call) {
				continue
			}
			record, found, err := journal.Record(ctx, call.ID)
			if err != nil {
				return nil, err
			}
			if !found || IsTaken(record.Changes) {
				continue
			}
			if records = append(records, record); !c.All {
				return records, nil
			}
		}
		if !page.More {
			return records, nil
		}
	}
}

const (
	// readPatience is how long an undo waits until servers have read what their writes left, and
	// readAgain how long between two looks.
	readPatience = 10 * time.Second
	readAgain    = 50 * time.Millisecond
)

// Await reads records, again for a while until it is known what all of their changes left: a
// server may be about to read it.
func Await(ctx context.Context, read func() ([]history.Record, error)) ([]history.Record, error) {
	for deadline := time.Now().Add(readPatience); ; {
		records, err := read()
		if err != nil || !slices.ContainsFunc(records, isUnread) || time.Now().After(deadline) || !ops.Wait(ctx, readAgain) {
			return records, err
		}
	}
}

// isUnread reports whether it is still to be read what one of the changes left.
func isUnread(record history.Record) bool {
	return !record.Call.TextsGone && slices.ContainsFunc(record.Changes, func(c history.ChangeRecord) bool {
		return c.Action != "" && c.AfterBy == "" && c.State == history.StateDone && !c.IsUndone()
	})
}

// MayUndo reports whether a call may have changed something.
func MayUndo(call history.Call) bool {
	return call.Changes > 0 && call.State != history.CallFailed && call.State != history.CallStopped
}

// IsTaken reports whether all changes that were done, or may have been, are taken back as far as
// possible.
func IsTaken(changes []history.ChangeRecord) bool {
	return !slices.ContainsFunc(changes, func(c history.ChangeRecord) bool {
		return !c.IsUndone() && c.State != history.StateRefused && c.State != history.StateNotDone
	})
}

// Number is that of a call, or of a part of one.
type Number struct {
	Call int64
	Part int // from 1; 0: all of it
}

// ParseNumber reads 412, or a part such as 412.2.
func ParseNumber(text string) (n Number, ok bool) {
	call, part, hasPart := strings.Cut(text, ".")
	var err error
	if n.Call, err = strconv.ParseInt(call, 10, 64); err != nil || n.Call <= 0 {
		return Number{}, false
	}
	if hasPart {
		if n.Part, err = strconv.Atoi(part); err != nil || n.Part <= 0 {
			return Number{}, false
		}
	}
	return n, true
}

// String returns the number as people see it.
func (n Number) String() string {
	if n.Part == 0 {
		return strconv.FormatInt(n.Call, 10)
	}
	return fmt.Sprintf("%d.%d", n.Call, n.Part)
}

// Find returns the record of a number, with the changes that are meant, and whether there is one.
func Find(ctx context.Context, journal Journal, n Number) (record history.Record, found bool, err error) {
	record, found, err = journal.Record(ctx, n.Call)
	if n.Part == 0 || !found {
		return record, found, err
	}
	record.Changes = slices.DeleteFunc(record.Changes, func(c history.ChangeRecord) bool { return c.Seq != n.Part })
	return record, len(record.Changes) > 0, err
}
