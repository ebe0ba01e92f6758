package fact

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// Ask runs an action of Roam that only reads, and returns its result.
type Ask func(ctx context.Context, action string, args ...any) (json.RawMessage, error)

// The attributes that things are found by.
const (
	byUID   = ":block/uid"
	byTitle = ":node/title"
)

const (
	pullAction  = "data.pull_many"
	queryAction = "q"
)

// pull reads the entities that have one of the values of a unique attribute. A Roam that
// takes no options where attributes lead to patterns of their own is asked without them.
func pull(ctx context.Context, ask Ask, pattern, attribute string, values []string) ([]pulled, error) {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) == 0 {
		return nil, nil
	}
	plain := false
	action, answer, err := pullMany(ctx, ask, pattern, attribute, values)
	if localapi.CantRun(err) {
		plain = true
		action, answer, err = pullMany(ctx, ask, withoutOptions(pattern), attribute, values)
	}
	if err != nil {
		return nil, localapi.UnsupportedQuery(err)
	}
	found, err := parsePulled(answer, plain)
	if err != nil {
		return nil, unreadable(action, err)
	}
	return found, checkWhole(ctx, ask, found)
}

// pullMany pulls entities, and returns the action that did it. Where Roam does not pull a
// list of them, or not one of which some are missing, it is asked by a query, which can't
// tell keywords from texts in properties.
func pullMany(ctx context.Context, ask Ask, pattern, attribute string, values []string) (action string, answer json.RawMessage, err error) {
	references := make([][2]string, len(values))
	for i, value := range values {
		references[i] = [2]string{attribute, value}
	}
	answer, err = ask(ctx, pullAction, pattern, references)
	if failed, ok := problem.AsCall(err); ok && (failed.Code == localapi.CodeUnknownAction || failed.Code == localapi.CodeInternal || failed.Call.Status == http.StatusInternalServerError) {
		answer, err = ask(ctx, queryAction, `[:find (pull ?e `+pattern+`) :in $ [?v ...] :where [?e `+attribute+` ?v]]`, values)
		return queryAction, answer, err
	}
	return pullAction, answer, err
}

// checkWhole returns an error if a list in entities was cut.
func checkWhole(ctx context.Context, ask Ask, found []pulled) error {
	count := func(text, uid string) (json.RawMessage, error) { return ask(ctx, queryAction, text, uid) }
	for i := range found {
		x := &found[i]
		err := localapi.CheckWhole(len(x.children), x.uid, localapi.Children, count)
		if err == nil {
			err = localapi.CheckWhole(len(x.referrers), x.uid, localapi.Referrers, count)
		}
		for _, list := range [][]pulled{x.children, x.referrers, x.parents} {
			if err == nil {
				err = checkWhole(ctx, ask, list)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// query runs a query whose rows have columns of the type of T.
func query[T any](ctx context.Context, ask Ask, text string, inputs ...any) ([]T, error) {
	answer, err := ask(ctx, queryAction, append([]any{text}, inputs...)...)
	if err != nil {
		return nil, localapi.UnsupportedQuery(err)
	}
	var rows []T
	return rows, unreadable(queryAction, json.Unmarshal(answer, &rows))
}

// unreadable returns the error that an answer which can't be read stands for.
func unreadable(action string, err error) error {
	if err == nil {
		return nil
	}
	return &problem.Error{
		Code: localapi.CodeInvalidReply, Call: &problem.Call{Action: action, Sent: true},
		Message: "Roam's answer to a query is no list of pages and blocks.", Err: err,
	}
}

// reading is a State in the making.
type reading struct {
	ask       Ask
	things    map[string]Fact
	shortcuts []string
	text      int // bytes

	referrers map[string]*Referrer
	followed  map[string]bool // whose referrers are read
	going     map[string]bool // that are to be deleted
}

func read(ask Ask) *reading {
	return &reading{ask: ask, things: map[string]Fact{}, referrers: map[string]*Referrer{}, followed: map[string]bool{}, going: map[string]bool{}}
}

func (r *reading) state() State { return State{Things: r.things, Shortcuts: r.shortcuts} }

// add adds a fact, or what it has more than the one that is there.
func (r *reading) add(f Fact) error {
	old, there := r.things[f.UID]
	if there {
		f = merged(old, f)
	} else {
		r.text += len(f.Title) + len(f.Text)
	}
	r.things[f.UID] = f
	if len(r.things) > MaxThings || r.text > MaxText {
		return ErrTooLarge
	}
	return nil
}

// merged returns the later of two facts, with what is missing in it from the other.
func merged(old, f Fact) Fact {
	if f.Gone || old.Gone {
		return f
	}
	if f.Children == nil {
		f.Children = old.Children
	}
	if f.Left == "" && f.Right == "" {
		f.Left, f.Right = old.Left, old.Right
	}
	if f.Parent == "" {
		f.Parent, f.Page = old.Parent, old.Page
	}
	f.PageTitle = cmp.Or(f.PageTitle, old.PageTitle)
	if f.Other == nil {
		f.Other = old.Other
	}
	return f
}

// gone adds a Gone fact for each uid of which nothing is known.
func (r *reading) gone(uids []string) error {
	for _, uid := range uids {
		if _, there := r.things[uid]; !there {
			if err := r.add(Fact{UID: uid, Gone: true}); err != nil {
				return err
			}
		}
	}
	return nil
}

// listShortcuts reads the list of shortcuts.
func (r *reading) listShortcuts(ctx context.Context) error {
	state, err := Shortcuts(ctx, r.ask)
	r.shortcuts = state.Shortcuts
	return err
}

// sorted returns the uids of a set in order.
func sorted[V any](uids map[string]V) []string { return slices.Sorted(maps.Keys(uids)) }
