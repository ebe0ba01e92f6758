package undo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Wish selects the changes to take back: some by their numbers, or all of this
// connection. The zero value selects the newest change that is neither taken back nor an
// undo.
type Wish struct {
	Changes []string
	Session bool
	DryRun  bool // nothing is written
	Longest int  // characters of a text that is told
}

// Undone is what was taken back, or would be.
type Undone struct {
	DryRun  bool     `json:"dryRun,omitempty"`
	Undone  []string `json:"undone"`                  // numbers
	Already []string `json:"alreadyUndone,omitempty"` // numbers of those that were
	// Left has of ChangedBy no names: a person, this agent or another one.
	Left []Left `json:"left"`
	// NotShown counts what was left of blocks that are hidden from agents.
	NotShown int `json:"notShown,omitempty"`
	// Renewed are the uids of blocks that came back with others than they had, by those.
	Renewed map[string]string `json:"renewed,omitempty"`
	Change  string            `json:"change,omitempty"` // under which it is recorded
}

// chosen is what a Wish is about.
type chosen struct {
	records []history.Record
	already []string
	parts   []Number // that were asked for as such
}

// Undo does what a Wish says with u, which has no Recording where that is a plan alone.
func (c *Own) Undo(ctx context.Context, wish Wish, u Undo) (Undone, error) {
	var meant chosen
	_, err := Await(ctx, func() ([]history.Record, error) {
		var err error
		meant, err = c.choose(ctx, wish)
		return meant.records, err
	})
	if err != nil {
		return Undone{}, err
	}
	out := Undone{DryRun: wish.DryRun, Undone: []string{}, Already: meant.already, Left: []Left{}}
	var changes []history.ChangeRecord
	for _, record := range meant.records {
		changes = append(changes, record.Changes...)
	}
	if len(changes) == 0 {
		return out, nil
	}
	planning := u
	planning.Recording = nil
	result, err := planning.Run(ctx, changes)
	if err == nil {
		err = impossible(result)
	}
	if err == nil && !wish.DryRun && len(result.Undone) > 0 {
		result, err = u.Run(ctx, changes)
	}
	if err != nil {
		return Undone{}, err
	}
	if result.Call != 0 {
		out.Change = fmt.Sprint(result.Call)
	}
	out.Undone = meant.numbers(result.Undone)
	return out, c.tellLeft(ctx, &out, meant.records, result, wish.Longest)
}

// choose returns what a Wish is about.
func (c *Own) choose(ctx context.Context, wish Wish) (meant chosen, err error) {
	if len(wish.Changes) > 0 {
		for _, text := range slices.Compact(slices.Sorted(slices.Values(wish.Changes))) {
			if err := c.add(ctx, &meant, text); err != nil {
				return chosen{}, err
			}
		}
		return meant, nil
	}
	if c.Sessionless && (wish.Session || !c.Named) {
		return chosen{}, &problem.Error{
			Code: CodeNotPossible, Retry: problem.RetryNever, Message: "This connection keeps no session, so no change is known to be made in it.",
			Hint: problem.Say("The user can take it back: %s", problem.Run("undo")),
		}
	}
	filter, some, err := c.filter(ctx, wish.Session)
	if err == nil && some {
		meant.records, err = Choose(ctx, c.Journal, Choice{Filter: filter, All: wish.Session})
	}
	return meant, err
}

// add adds a change by its number.
func (c *Own) add(ctx context.Context, meant *chosen, text string) error {
	number, record, err := c.find(ctx, text)
	if err != nil {
		return err
	}
	switch {
	case history.IsUndo(record.Call.Tool):
		return notPossible(number.String(), "it is an undo, which agents don't take back")
	case !MayUndo(record.Call):
		return notPossible(number.String(), "it has changed nothing")
	case IsTaken(record.Changes):
		meant.already = append(meant.already, number.String())
		return nil
	}
	if number.Part > 0 {
		meant.parts = append(meant.parts, number)
	}
	for i, known := range meant.records {
		if known.Call.ID != number.Call {
			continue
		}
		for _, change := range record.Changes {
			if !slices.ContainsFunc(known.Changes, func(c history.ChangeRecord) bool { return c.ID == change.ID }) {
				meant.records[i].Changes = append(meant.records[i].Changes, change)
			}
		}
		return nil
	}
	meant.records = append(meant.records, record)
	return nil
}

// numbers returns those of changes as they were asked for: of calls, or of parts.
func (m chosen) numbers(changes []string) []string {
	numbers := []string{}
	for _, text := range changes {
		number, _ := ParseNumber(text)
		if !slices.Contains(m.parts, number) {
			number.Part = 0
		}
		if text := number.String(); !slices.Contains(numbers, text) {
			numbers = append(numbers, text)
		}
	}
	return numbers
}

// impossible returns the error of a plan that can do nothing, since the journal does not have what it
// takes; nil otherwise.
func impossible(planned Result) error {
	if len(planned.Undone) > 0 || len(planned.Left) == 0 || slices.ContainsFunc(planned.Left, func(l Left) bool { return !l.Why.Impossible() }) {
		return nil
	}
	return notPossible(planned.Left[0].Change, string(planned.Left[0].Why))
}

func notPossible(number, why string) error {
	return &problem.Error{
		Code: CodeNotPossible, Retry: problem.RetryNever, Message: fmt.Sprintf("%s can't be taken back: %s.", number, why),
		Hint: problem.Say("%s with change %s says what is known of it; %s with the number of another change takes that back. Else write what should be there.", problem.ReadOwnChange, number, problem.UndoOwnChanges),
	}
}

// tellLeft adds what was left, but for what is hidden.
func (c *Own) tellLeft(ctx context.Context, out *Undone, records []history.Record, result Result, longest int) error {
	var uids []string
	for _, left := range result.Left {
		if left.UID != "" && len(uids) < mostSeen && !slices.Contains(uids, left.UID) {
			uids = append(uids, left.UID)
		}
	}
	for uid := range result.Renewed {
		if len(uids) < mostSeen {
			uids = append(uids, uid)
		}
	}
	s := &sight{}
	if len(uids) > 0 {
		var err error
		if s, err = c.look(ctx, records, uids); err != nil && out.Change == "" {
			return err
		} else if err != nil { // it is done all the same
			out.NotShown = len(result.Left)
			return nil
		}
	}
	for had, uid := range result.Renewed {
		if slices.Contains(uids, had) && !s.hides(had) {
			out.renew(had, uid)
		}
	}
	for _, left := range result.Left {
		if left.UID != "" && (!slices.Contains(uids, left.UID) || s.hides(left.UID) || note.HidesItself(left.Was) || note.HidesItself(left.Left) || note.HidesItself(left.Is)) {
			out.NotShown++
			continue
		}
		told := Left{Change: left.Change, UID: left.UID, Field: left.Field, Why: left.Why}
		if left.Field != fact.Children { // among which hidden ones may be
			told.Was, told.Left, told.Is = cut(left.Was, longest), cut(left.Left, longest), cut(left.Is, longest)
		}
		var err error
		if told.ChangedBy, err = c.changedBy(ctx, left, result.Call); err != nil {
			return err
		}
		out.Left = append(out.Left, told)
	}
	return nil
}

// renew tells of a block that came back with another uid.
func (u *Undone) renew(had, uid string) {
	if u.Renewed == nil {
		u.Renewed = map[string]string{}
	}
	u.Renewed[had] = uid
}

// clockSlack is how much later than a call's end Roam may say that it was done.
const clockSlack = time.Second

// changedBy says who changed what is left, as far as the journal tells: the newest call that touched
// it since has done so, unless it was edited after that. undoing is the number of the undo.
func (c *Own) changedBy(ctx context.Context, left Left, undoing int64) (string, error) {
	if left.UID == "" || left.Why != Changed && left.Why != Moved && left.Why != Gone {
		return "", nil
	}
	number, _ := ParseNumber(left.Change)
	page, err := c.Journal.Calls(ctx, history.Filter{Graphs: []history.Graph{c.Graph}, Block: left.UID, After: number.Call, Before: undoing, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(page.Calls) == 0 {
		return "a person", nil
	}
	call := page.Calls[0]
	switch {
	case left.Edited > call.At.Add(call.Took+clockSlack).UnixMilli(), call.Tool == history.ToolUndo, call.Tool == history.ToolRedo:
		return "a person", nil
	case call.Agent == c.Who.Agent:
		return "this agent", nil
	}
	return "another agent", nil
}

// NeedsEdit is the error where the token for a graph may not edit.
func NeedsEdit(nickname string) *problem.Error {
	return &problem.Error{
		Code: CodeNeedsEdit, Retry: problem.RetryNever, Message: fmt.Sprintf("Nothing was undone: the token for the graph %q may not edit.", nickname),
		Hint: problem.Say("The user can take it back (%s), or allow more: %s", problem.Run("undo"), problem.Run("reauth", nickname).With("--access", string(localapi.Full))),
	}
}
