package fact

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"roam-mcp/internal/localapi"
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

	listOfThings = "a list of pages and blocks" // what their replies are
)

// pull reads the entities that have one of the values of a unique attribute.
func pull(ctx context.Context, ask Ask, pattern, attribute string, values []string) ([]pulled, error) {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) == 0 {
		return nil, nil
	}
	references := make([][2]string, len(values))
	for i, value := range values {
		references[i] = [2]string{attribute, value}
	}
	answer, err := ask(ctx, pullAction, pattern, references)
	if err != nil {
		return nil, localapi.UnsupportedQuery(err)
	}
	found, err := parsePulled(answer)
	if err != nil {
		return nil, localapi.UnsupportedReply(pullAction, listOfThings, err)
	}
	return found, checkWhole(ctx, ask, found)
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
	if err := json.Unmarshal(answer, &rows); err != nil {
		return nil, localapi.UnsupportedReply(queryAction, listOfThings, err)
	}
	return rows, nil
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
