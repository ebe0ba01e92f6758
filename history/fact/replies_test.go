package fact_test

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"roam-mcp/history/fact"
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
