package undo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
)

// OwnChange is what one call has changed, or a part of it.
type OwnChange struct {
	Change string            `json:"change"`
	At     time.Time         `json:"at"`
	Tool   string            `json:"tool"`
	State  history.CallState `json:"state"`
	Undone string            `json:"undone,omitempty"`
	Blocks []OwnBlock        `json:"blocks"`
	// NotShown counts pages and blocks that are hidden from agents, or of which that is not known, and
	// those beyond the first mostSeen.
	NotShown int      `json:"notShown,omitempty"`
	Lacks    []string `json:"lacks"`
}

// OwnBlock is a page or block that was changed.
type OwnBlock struct {
	UID     string       `json:"uid"`
	Path    []string     `json:"path,omitempty"`    // the page and the texts above it
	Was     *string      `json:"was,omitempty"`     // title or text before; nil: it was made, or that is not known
	Is      *string      `json:"is,omitempty"`      // title or text after; nil: it was deleted, or that is not known
	Changed []fact.Field `json:"changed,omitempty"` // what else was changed
	Now     string       `json:"now,omitempty"`
}

// Get returns a change by its number, with texts of at most so many characters.
func (c *Own) Get(ctx context.Context, number string, longest int) (OwnChange, error) {
	of, record, err := c.find(ctx, number)
	if err != nil {
		return OwnChange{}, err
	}
	out := OwnChange{
		Change: of.String(), At: record.Call.At.UTC().Truncate(time.Second), Tool: record.Call.Tool, State: record.Call.State,
		Blocks: []OwnBlock{}, Lacks: lacks(record),
	}
	if record.Call.UndoneBy != 0 {
		out.Undone = fmt.Sprint(record.Call.UndoneBy)
	}
	uids := uidsOfThings(review.Things(record, fact.State{}))
	if len(uids) > mostSeen {
		out.NotShown, uids = len(uids)-mostSeen, uids[:mostSeen]
	}
	if len(uids) == 0 {
		return out, nil
	}
	s, err := c.look(ctx, []history.Record{record}, uids)
	if err != nil {
		return OwnChange{}, err
	}
	for _, thing := range review.Things(record, fact.State{Things: s.now})[:len(uids)] {
		if s.hides(thing.UID) {
			out.NotShown++
			continue
		}
		out.Blocks = append(out.Blocks, OwnBlock{
			UID: thing.UID, Path: s.path(thing.UID), Was: textOf(thing.Was, longest), Is: textOf(thing.Is, longest), Now: since(thing.Since),
			Changed: slices.DeleteFunc(thing.Fields, func(f fact.Field) bool { return f == fact.Text || f == fact.Title }),
		})
	}
	return out, nil
}

func uidsOfThings(things []review.Thing) (uids []string) {
	for _, thing := range things {
		uids = append(uids, thing.UID)
	}
	return uids
}

// lacks says what is not known of a change, or can't be brought back.
func lacks(record history.Record) []string {
	lacks := []string{}
	if record.Call.TextsGone {
		lacks = append(lacks, "its texts are not kept")
	}
	for _, change := range record.Changes {
		for _, lack := range change.Lacks {
			if change.Action != "" && !slices.Contains(lacks, lack) { // else it names what an undo left
				lacks = append(lacks, lack)
			}
		}
	}
	return lacks
}

// textOf returns the title or text of a fact; nil where it is zero.
func textOf(f fact.Fact, longest int) *string {
	if f.UID == "" && f.Title+f.Text == "" && f.Parent == "" || f.Gone {
		return nil
	}
	text := cut(f.Title+f.Text, longest)
	return &text
}

// since says what became of something.
func since(s review.Since) string {
	return [...]string{review.Unknown: "", review.AsLeft: "as left", review.Changed: "changed since", review.Gone: "gone", review.Back: "there again"}[s]
}
