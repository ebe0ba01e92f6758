package fact_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

var asOption = regexp.MustCompile(` :as "[a-z-]+"`)

// TestReplies reads from a Roam whose replies are none of those that LOCAL_API.md 2.2
// knows.
func TestReplies(t *testing.T) {
	w := newWorld(t, linked)
	deaf := func(which *regexp.Regexp, action string) fact.Ask {
		return func(ctx context.Context, asked string, args ...any) (json.RawMessage, error) {
			if asked != action {
				return nil, &problem.Error{Code: localapi.CodeUnknownAction, Call: &problem.Call{Action: asked, Status: 404, Sent: true}}
			}
			if pattern, ok := args[0].(string); ok {
				args[0] = which.ReplaceAllString(pattern, "")
			}
			return w.ask(ctx, asked, args...)
		}
	}
	for name, which := range map[string]*regexp.Regexp{
		"a Roam that heeds no :as":             asOption,
		"a Roam that heeds no :as of children": regexp.MustCompile(` :as "f-children"`),
		"a Roam that heeds no :as of uids":     regexp.MustCompile(` :as "f-uid"`),
	} {
		for _, action := range []string{"q", "data.pull_many"} {
			t.Run(name+" in "+action+" tells nothing", func(t *testing.T) {
				ask, uids := deaf(which, action), []string{"p1"}
				for what, read := range map[string]func() error{
					"Things": func() error { _, err := fact.Things(t.Context(), ask, uids); return err },
					"Trees":  func() error { _, _, err := fact.Trees(t.Context(), ask, uids); return err },
					"Made":   func() error { _, _, _, err := fact.Made(t.Context(), ask, uids, nil, 0, 1); return err },
				} {
					if err := read(); problem.CodeOf(err) != localapi.CodeInvalidReply {
						t.Errorf("%s: error %v", what, err)
					}
				}
			})
		}
	}
}

// TestCutLists reads from a Roam that cuts what a pull gives at 1,000 values whatever
// :limit says: nothing is missing in silence.
func TestCutLists(t *testing.T) {
	blocks := func(count int, uid, text string) string {
		list := make([]string, count)
		for i := range list {
			list[i] = fmt.Sprintf(`{"string":%q,"uid":"%s%d"}`, text, uid, i)
		}
		return strings.Join(list, ",")
	}
	w := newWorld(t, `[{"title":"P","uid":"p","children":[{"string":"top","uid":"top","children":[`+blocks(1000, "deep", "deep")+`]},`+blocks(999, "c", "child")+`]},
		{"title":"Q","uid":"q","children":[`+blocks(1000, "r", "about [[P]]")+`]},{"title":"Into","uid":"into"},
		{"title":"Wide","uid":"w","children":[`+blocks(1001, "d", "child")+`]},
		{"title":"Named","uid":"n","children":[{"string":"x","uid":"x"}]},{"title":"R","uid":"r","children":[`+blocks(1001, "s", "((x))")+`]}]`)
	for _, action := range []string{"q", "data.pull_many"} {
		cut := func(ctx context.Context, asked string, args ...any) (json.RawMessage, error) {
			if pattern, ok := args[0].(string); ok {
				args[0] = strings.ReplaceAll(pattern, " :limit nil", "")
			}
			if asked == "data.pull_many" && action == "q" {
				return nil, &problem.Error{Code: localapi.CodeUnknownAction, Call: &problem.Call{Action: asked, Status: 404, Sent: true}}
			}
			return w.ask(ctx, asked, args...)
		}
		for name, read := range reads(t, "p", "c500") {
			t.Run(name+" is whole where lists are just as long by "+action, func(t *testing.T) {
				same(t, read, cut, w.ask)
			})
		}
		for name, read := range reads(t, "w", "d500") {
			t.Run(name+" is an error where lists are longer by "+action, func(t *testing.T) {
				if _, _, err := read(cut); problem.CodeOf(err) != localapi.CodeInvalidReply {
					t.Errorf("error %v", err)
				}
			})
		}
		t.Run("too many referrers are an error by "+action, func(t *testing.T) {
			if _, _, err := fact.Trees(t.Context(), cut, []string{"x"}); problem.CodeOf(err) != localapi.CodeInvalidReply {
				t.Errorf("error %v", err)
			}
		})
	}
}

type reader = func(ask fact.Ask) (fact.State, fact.Referrers, error)

// reads are those of a page, which is merged into the page Into, and of a block.
func reads(t *testing.T, page, block string) map[string]reader {
	return map[string]reader{
		"what is deleted": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
			return fact.Trees(t.Context(), ask, []string{page})
		},
		"a block and its siblings": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
			s, err := fact.Things(t.Context(), ask, []string{block, "nothing"})
			return s, nil, err
		},
		"a renaming": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
			return fact.Pages(t.Context(), ask, []string{page})
		},
		"a merge": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
			return fact.Merging(t.Context(), ask, page, "Into")
		},
		"what was made": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
			s, _, _, err := fact.Made(t.Context(), ask, []string{page}, []string{"Into"}, 0, 1<<53)
			return s, nil, err
		},
	}
}

// same compares what is read in two ways.
func same(t *testing.T, read reader, one, other fact.Ask) {
	t.Helper()
	got, from, err := read(one)
	require.NoError(t, err)
	want, wanted, err := read(other)
	require.NoError(t, err)
	equal(t, "referrers", from.UIDs(), wanted.UIDs()...)
	short := func(s fact.State) string { return strings.ReplaceAll(string(s.JSON()), ":ent/", "") } // which q cuts
	if a, b := short(got), short(want); a != b {
		t.Errorf("got  %.3000s\nwant %.3000s", a, b)
	}
}

// TestOlderQueries reads from a Roam with an older Datalog.
func TestOlderQueries(t *testing.T) {
	w := newWorld(t, linked)
	for name, refused := range map[string]func(action, text string) bool{
		"takes no options of what leads to a pattern": func(_, text string) bool { return strings.Contains(text, "{[") },
		"pulls no list, and takes no such options": func(action, text string) bool {
			return action == "data.pull_many" || strings.Contains(text, "{[")
		},
		"takes no list": func(_, text string) bool { return strings.Contains(text, " ...] :where") },
		"takes neither": func(_, text string) bool {
			return strings.Contains(text, "{[") || strings.Contains(text, " ...] :where")
		},
	} {
		ask := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
			if refused(action, args[0].(string)) {
				return nil, &problem.Error{Code: localapi.CodeInternal, Call: &problem.Call{Action: action, Status: 500, Text: "Cannot parse", Sent: true}}
			}
			return w.ask(ctx, action, args...)
		}
		for what, read := range reads(t, "p", "p1") {
			t.Run(what+" of a Roam that "+name, func(t *testing.T) { same(t, read, ask, w.ask) })
		}
	}
	t.Run("one that can't pull says so", func(t *testing.T) {
		ask := func(_ context.Context, action string, _ ...any) (json.RawMessage, error) {
			return nil, &problem.Error{Code: localapi.CodeInternal, Call: &problem.Call{Action: action, Status: 500, Text: "Cannot parse", Sent: true}}
		}
		if _, err := fact.Things(t.Context(), ask, []string{"p"}); problem.CodeOf(err) != localapi.CodeQueryUnsupported {
			t.Errorf("error %v", err)
		}
	})
}
