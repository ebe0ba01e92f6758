package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"testing"

	"roam-mcp/internal/testutil/graphtest"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

var asOption = regexp.MustCompile(` :as "[a-z]+"`)

// TestReplies answers as builds of Roam may whose replies are none of those that
// LOCAL_API.md 2.2 knows.
func TestReplies(t *testing.T) {
	r := newMemory(t, graphtest.Options{Blocks: 600, Seed: 1})
	type ask = func(ctx context.Context, action string, args ...any) (json.RawMessage, error)
	deaf := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		args[0] = asOption.ReplaceAllString(args[0].(string), "")
		return r.ask(ctx, action, args...)
	}
	keyed := func(from, to string) ask {
		return func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
			reply, err := r.ask(ctx, action, args...)
			return bytes.ReplaceAll(reply, []byte(from), []byte(to)), err
		}
	}
	for name, test := range map[string]struct {
		ask  ask
		want problem.Code // empty: the graph is read
	}{
		"that heed no :as are invalid":         {ask: deaf, want: localapi.CodeInvalidReply},
		"without what was named are invalid":   {ask: keyed(`"t":`, `"title":`), want: localapi.CodeInvalidReply},
		"whose keys have a colon are read":     {ask: keyed(`"id":`, `":id":`)},
		"whose keys have a namespace are read": {ask: keyed(`"id":`, `"db/id":`)},
		"whose keys have both are read":        {ask: keyed(`"id":`, `":db/id":`)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, need := range []Need{Links, Texts} {
				k := New(Options{Now: still, few: -1})
				defer k.Close()
				source := r.source()
				source.Ask = test.ask
				v, err := k.View(t.Context(), source, need)
				if problem.CodeOf(err) != test.want {
					t.Fatalf("error %v, want %q", err, test.want)
				}
				if test.want == "" && len(links(v)) != len(links(r.view(New(Options{Now: still}), need))) {
					t.Errorf("%d lines", len(links(v)))
				}
			}
		})
	}
}
