package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/graphtest"
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
		"that heed no :as are invalid":         {ask: deaf, want: localapi.CodeUnsupportedRoam},
		"without what was named are invalid":   {ask: keyed(`"t":`, `"title":`), want: localapi.CodeUnsupportedRoam},
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

// TestCutLists asks a Roam that cuts what a pull gives at 1,000 values whatever :limit says.
func TestCutLists(t *testing.T) {
	for name, test := range map[string]struct {
		direct, deep, refs int
		want               problem.Code // empty: the graph is read
	}{
		"just as long are whole":              {direct: localapi.PullLimit, deep: localapi.PullLimit, refs: localapi.PullLimit},
		"of children that are longer":         {direct: localapi.PullLimit + 1, want: localapi.CodeUnsupportedRoam},
		"of children of blocks that are":      {deep: localapi.PullLimit + 1, want: localapi.CodeUnsupportedRoam},
		"of references in a text that is one": {refs: localapi.PullLimit + 1, want: localapi.CodeUnsupportedRoam},
	} {
		t.Run("lists "+name, func(t *testing.T) { testCutLists(t, test.direct, test.deep, test.refs, test.want) })
	}
}

func testCutLists(t *testing.T, direct, deep, refs int, want problem.Code) {
	r := newMemory(t, graphtest.Options{Blocks: 600, Seed: 1})
	blocks := func(count int) []outline.Block {
		list := make([]outline.Block, count)
		for i := range list {
			list[i].String = fmt.Sprintf("see [[many %d]]", i)
		}
		return list
	}
	r.edit(still(), func(w *outline.Writer) error {
		page, err := w.CreatePage(outline.NewPage{Title: "long"})
		if err != nil {
			return err
		}
		_, err = w.CreateBlocks(outline.Location{ParentUID: page}, append(blocks(max(0, direct-1)), outline.Block{String: "above", UID: "above-all"}))
		if err != nil {
			return err
		}
		var all strings.Builder
		for i := range refs {
			fmt.Fprintf(&all, "[[many %d]] ", i)
		}
		_, err = w.CreateBlocks(outline.Location{ParentUID: "above-all"}, append(blocks(max(0, deep-1)), outline.Block{String: all.String()}))
		return err
	})
	for name, options := range map[string]Options{"as a whole": {}, "in parts": {small: -1}, "by queries": {small: -1, few: -1}} {
		for _, need := range []Need{Links, Texts} {
			options.Now = still
			whole, cut := New(options), New(options)
			defer whole.Close()
			defer cut.Close()
			source := r.source()
			source.Ask = func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
				args[0] = strings.ReplaceAll(args[0].(string), " :limit nil", "")
				return r.ask(ctx, action, args...)
			}
			for range 2 { // a load, and a refresh
				got, err := cut.View(t.Context(), source, need)
				if problem.CodeOf(err) != want && (err != nil || need == Texts) { // for links not all lists are pulled
					t.Fatalf("%s, need %v: error %v", name, need, err)
				}
				if err != nil {
					continue
				}
				as := r.view(whole, need)
				d := differ(links(got), links(as))
				if got.DB() != nil && as.DB() != nil {
					d += differ(texts(got), texts(as))
				}
				if d != "" {
					t.Errorf("%s, need %v: %.300s", name, need, d)
				}
			}
		}
	}
}
