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
	deaf := func(which *regexp.Regexp) fact.Ask {
		return func(ctx context.Context, asked string, args ...any) (json.RawMessage, error) {
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
		t.Run(name+" is not supported", func(t *testing.T) {
			ask, uids := deaf(which), []string{"p1"}
			for what, read := range map[string]func() error{
				"Things": func() error { _, err := fact.Things(t.Context(), ask, uids); return err },
				"Trees":  func() error { _, _, err := fact.Trees(t.Context(), ask, uids); return err },
				"Made":   func() error { _, _, _, err := fact.Made(t.Context(), ask, uids, nil, 0, 1); return err },
			} {
				if err := read(); problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
					t.Errorf("%s: error %v", what, err)
				}
			}
		})
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
	cut := func(ctx context.Context, asked string, args ...any) (json.RawMessage, error) {
		if pattern, ok := args[0].(string); ok {
			args[0] = strings.ReplaceAll(pattern, " :limit nil", "")
		}
		return w.ask(ctx, asked, args...)
	}
	for name, read := range reads(t, "p", "c500") {
		t.Run(name+" is whole where lists are just as long", func(t *testing.T) {
			same(t, read, cut, w.ask)
		})
	}
	for name, read := range reads(t, "w", "d500") {
		t.Run(name+" is an error where lists are longer", func(t *testing.T) {
			if _, _, err := read(cut); problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("too many referrers are an error", func(t *testing.T) {
		if _, _, err := fact.Trees(t.Context(), cut, []string{"x"}); problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
			t.Errorf("error %v", err)
		}
	})
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
	if a, b := string(got.JSON()), string(want.JSON()); a != b {
		t.Errorf("got  %.3000s\nwant %.3000s", a, b)
	}
}

// A Roam that can't run the queries is not supported.
func TestRefusedPatterns(t *testing.T) {
	ask := func(_ context.Context, action string, _ ...any) (json.RawMessage, error) {
		return nil, &problem.Error{Code: localapi.CodeInternal, Call: &problem.Call{Action: action, Status: 500, Text: "Cannot parse", Sent: true}}
	}
	if _, err := fact.Things(t.Context(), ask, []string{"p"}); problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
		t.Errorf("error %v", err)
	}
}
