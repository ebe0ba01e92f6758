package historyview

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/problem"
)

// Range is a selection of recorded calls: one of them, a part of one, those of a session,
// or consecutive ones. The zero Range is all of them.
type Range struct {
	Block string // uid of the block or page that they touched; "": any

	from, to int64 // numbers of calls, inclusive; 0: no bound
	part     int   // of a call, from 1; 0: all of it
	session  int64 // 0: any
}

// ParseRange reads a number such as 412, a part such as 412.2, a session such as s41, or
// numbers from one to another such as 405..412.
func ParseRange(text string) (r Range, err error) {
	bad := fmt.Errorf("%q is no change: it is a number such as 412, a part of it such as 412.2, a session such as s41, or a range such as 405..412", text)
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	if strings.HasPrefix(text, "s") {
		if r.session = number(text[1:]); r.session == 0 {
			return Range{}, bad
		}
		return r, nil
	}
	if from, to, isRange := strings.Cut(text, ".."); isRange {
		if r.from, r.to = number(from), number(to); r.from == 0 || r.to < r.from {
			return Range{}, bad
		}
		return r, nil
	}
	one, ok := undo.ParseNumber(text)
	if !ok {
		return Range{}, bad
	}
	return Range{from: one.Call, to: one.Call, part: one.Part}, nil
}

// single reports whether one call is meant, by its number.
func (r Range) single() bool { return r.from > 0 && r.from == r.to }

// recordsStep is how many calls are read at a time.
const recordsStep = 50

// Records calls fn with the records of a range, the oldest first. It fails where one call is
// meant that is not recorded.
func (v *View) Records(ctx context.Context, r Range, fn func(history.Record) error) error {
	if r.single() {
		one := undo.Number{Call: r.from, Part: r.part}
		record, found, err := undo.Find(ctx, v.journal, one)
		if err != nil {
			return err
		}
		if !found {
			return notRecorded(one.String())
		}
		return fn(record)
	}
	filter := history.Filter{Session: r.session, Block: r.Block, After: max(r.from-1, 0), Limit: recordsStep, OldestFirst: true}
	if r.to > 0 {
		filter.Before = r.to + 1
	}
	for {
		page, err := v.journal.Calls(ctx, filter)
		if err != nil {
			return err
		}
		for _, call := range page.Calls {
			record, found, err := v.journal.Record(ctx, call.ID)
			if err != nil {
				return err
			}
			if !found { // purged meanwhile
				continue
			}
			if err := fn(record); err != nil {
				return err
			}
			filter.After = call.ID
		}
		if !page.More || len(page.Calls) == 0 {
			return nil
		}
	}
}

// notRecorded is the error of a number that no call has.
func notRecorded(number string) error {
	return &problem.Error{
		Code: problem.CodeFailed, Message: fmt.Sprintf("No change %s is recorded.", number),
		Hint: problem.Say("%s lists what is.", problem.Run("history")),
	}
}
