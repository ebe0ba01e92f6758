package fact

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"roam-mcp/localapi"
	"roam-mcp/problem"
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

// puller pulls entities. depth is how many lists stand around what it pulls that were cut.
type puller struct {
	ask   Ask
	depth int
}

// pull reads the entities that have one of the values of a unique attribute.
func pull(ctx context.Context, ask Ask, pattern, attribute string, values []string) ([]pulled, error) {
	return puller{ask: ask}.pull(ctx, pattern, attribute, values)
}

// pull reads as the function pull does.
func (p puller) pull(ctx context.Context, pattern, attribute string, values []string) ([]pulled, error) {
	found, err := p.whole(ctx, pattern, attribute, values)
	if err == nil {
		err = p.uncut(ctx, found, childPattern(pattern))
	}
	return found, err
}

// whole pulls but for what is cut. A Roam that takes no options where attributes lead to
// patterns of their own is asked without them.
func (p puller) whole(ctx context.Context, pattern, attribute string, values []string) ([]pulled, error) {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) == 0 {
		return nil, nil
	}
	found, err := p.asked(ctx, pattern, attribute, values, false)
	if localapi.CantRun(err) {
		found, err = p.asked(ctx, withoutOptions(pattern), attribute, values, true)
	}
	return found, localapi.UnsupportedQuery(err)
}

// asked pulls by a pattern. Where Roam does not pull a list of entities, or not one of
// which some are missing, it is asked by a query, which can't tell keywords from texts in
// properties.
func (p puller) asked(ctx context.Context, pattern, attribute string, values []string, plain bool) ([]pulled, error) {
	references := make([][2]string, len(values))
	for i, value := range values {
		references[i] = [2]string{attribute, value}
	}
	action := pullAction
	answer, err := p.ask(ctx, action, pattern, references)
	answers := []json.RawMessage{answer}
	if failed, ok := problem.AsCall(err); ok && (failed.Code == localapi.CodeUnknownAction || failed.Code == localapi.CodeInternal || failed.Call.Status == http.StatusInternalServerError) {
		action = queryAction
		answers, err = listed(ctx, p.ask, `[:find (pull ?e `+pattern+`) :in $ [?v ...] :where [?e `+attribute+` ?v]]`, values)
	}
	if err != nil {
		return nil, err
	}
	var all []pulled
	for _, answer := range answers {
		found, err := parsePulled(answer, plain)
		if err != nil {
			return nil, unreadable(action, err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// listed asks a query about a list of values, [?v ...]; about one after the other where
// Roam takes no list.
func listed(ctx context.Context, ask Ask, text string, values []string) (answers []json.RawMessage, err error) {
	answer, err := ask(ctx, queryAction, text, values)
	if !localapi.CantRun(err) {
		return []json.RawMessage{answer}, err
	}
	text = strings.Replace(text, "[?v ...]", "?v", 1)
	for _, value := range values {
		if answer, err = ask(ctx, queryAction, text, value); err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
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
	if f.PageTitle == "" {
		f.PageTitle = old.PageTitle
	}
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
