package fact_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/history/fact"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/localapi"
	"roam-mcp/problem"
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
// :limit says.
func TestCutLists(t *testing.T) {
	blocks := func(count int, uid, text string) string {
		list := make([]string, count)
		for i := range list {
			list[i] = fmt.Sprintf(`{"string":%q,"uid":"%s%d"}`, text, uid, i)
		}
		return strings.Join(list, ",")
	}
	w := newWorld(t, `[{"title":"P","uid":"p","children":[{"string":"top","uid":"top","children":[`+blocks(1001, "deep", "deep")+`]},`+blocks(1099, "c", "child")+`]},
		{"title":"Q","uid":"q","children":[`+blocks(1030, "r", "about [[P]]")+`]},{"title":"Into","uid":"into"}]`)
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
		for name, read := range map[string]func(ask fact.Ask) (fact.State, fact.Referrers, error){
			"what is deleted": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
				return fact.Trees(t.Context(), ask, []string{"p"})
			},
			"a block and its siblings": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
				s, err := fact.Things(t.Context(), ask, []string{"c1050"})
				return s, nil, err
			},
			"pages": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
				return fact.Pages(t.Context(), ask, []string{"p"})
			},
			"a merge": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
				return fact.Merging(t.Context(), ask, "p", "Into")
			},
			"what was made": func(ask fact.Ask) (fact.State, fact.Referrers, error) {
				s, _, _, err := fact.Made(t.Context(), ask, []string{"p"}, nil, 0, 1)
				return s, nil, err
			},
		} {
			t.Run(name+" is whole by "+action, func(t *testing.T) {
				got, from, err := read(cut)
				require.NoError(t, err)
				want, wanted, err := read(w.ask)
				require.NoError(t, err)
				equal(t, "referrers", from.UIDs(), wanted.UIDs()...)
				if a, b := string(got.JSON()), string(want.JSON()); a != b {
					t.Errorf("%d bytes of facts, want %d", len(a), len(b))
				}
			})
		}
	}
}
