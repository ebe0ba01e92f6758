package ops

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

var asOption = regexp.MustCompile(` :as "[A-Za-z-]+"`)

// deaf is a Caller of a Roam that heeds no :as.
type deaf struct{ *box }

func (d deaf) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	if len(args) > 0 {
		if text, ok := args[0].(string); ok {
			args[0] = asOption.ReplaceAllString(text, "")
		}
	}
	return d.box.Send(ctx, action, args...)
}

func (d deaf) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return d.Send(ctx, action, args...)
}

// TestRepliesOfOtherForm asks a Roam whose replies are none of those that LOCAL_API.md 2.2
// knows.
func TestRepliesOfOtherForm(t *testing.T) {
	b := newBoxOf(t, looks)
	g := New(Options{Protect: Protection{Guidelines: true, Code: true}}).On(boxGraph, deaf{b})
	for name, read := range map[string]func() error{
		"notes":            func() error { _, err := g.ReadNotes(t.Context(), []string{"looks0001"}); return err },
		"several notes":    func() error { _, err := g.ReadNotes(t.Context(), []string{"looks0001", "looks0002"}); return err },
		"texts":            func() error { _, err := g.ReadTexts(t.Context(), []string{"looks0002"}); return err },
		"times":            func() error { _, err := g.ReadTimes(t.Context(), []string{"looks0001"}); return err },
		"a titled note":    func() error { _, _, err := g.ReadNoteTitled(t.Context(), "Looks"); return err },
		"blocks by words":  func() error { _, err := g.FindBlocks(t.Context(), Finding{Query: "second", Page: "Looks"}); return err },
		"references":       func() error { _, err := g.RefsAround(t.Context(), "looks0006"); return err },
		"a block's place":  func() error { _, _, err := g.PlaceOf(t.Context(), "looks0006"); return err },
		"what a note lost": func() error { _, err := g.readImpact(t.Context(), []string{"looks0006"}); return err },
	} {
		t.Run("are no "+name+" that lack something", func(t *testing.T) {
			if err := read(); problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("are read where the names are those of the attributes", func(t *testing.T) {
		pages, err := g.PagesByPrefix(t.Context(), "look")
		if err != nil || len(pages) != 1 || pages[0].Empty {
			t.Errorf("pages %v, %v", pages, err)
		}
		if made, err := g.readMadeOn(t.Context(), "looks0001"); err != nil || len(made.blocks) == 0 {
			t.Errorf("made %v, %v", made, err)
		}
		if named, err := g.PagesNamed(t.Context(), note.ParseName("Looks", noon())); err != nil || len(named) != 1 {
			t.Errorf("named %v, %v", named, err)
		}
	})
	t.Run("lead to no write", func(t *testing.T) {
		b.page("roam/agent guidelines", "- be kind ((looks0002))")
		if _, err := g.UpdateBlock(t.Context(), BlockUpdate{UID: "looks0002", String: ptr("x")}); problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
			t.Errorf("error %v", err)
		}
	})
}

// cutting is a Caller of a Roam that cuts what a pull gives at 1,000 values whatever :limit
// says.
type cutting struct{ *box }

func (c cutting) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	if text, ok := args[0].(string); ok {
		args[0] = strings.ReplaceAll(text, " :limit nil", "")
	}
	return c.box.Send(ctx, action, args...)
}

func TestCutLists(t *testing.T) {
	blocks := func(count int, uid, text string) string {
		list := make([]string, count)
		for i := range list {
			list[i] = fmt.Sprintf(`{"string":%q,"uid":"%s%d"}`, text, uid, i)
		}
		return strings.Join(list, ",")
	}
	refs := func(count int) string {
		var all strings.Builder
		for i := range count {
			fmt.Fprintf(&all, "[[n%d]] ", i)
		}
		return `{"string":"` + all.String() + `","uid":"refs` + strconv.Itoa(count) + `"}`
	}
	b := newBoxOf(t, `[{"title":"P","uid":"p","children":[{"string":"top","uid":"top","children":[`+blocks(1000, "deep", "deep")+`]},`+blocks(999, "c", "child")+`]},
		{"title":"Q","uid":"q","children":[`+blocks(1000, "r", "about [[P]]")+`]},{"title":"R","uid":"r","children":[`+refs(1000)+`]},
		{"title":"Wide","uid":"w","children":[{"string":"below","uid":"below","children":[`+blocks(1001, "d", "child ((top))")+`]}]},{"title":"Refs","uid":"rr","children":[`+refs(1001)+`]}]`)
	operations := New(Options{})
	cut, whole := operations.On(boxGraph, cutting{b}), operations.On(boxGraph, b)
	t.Run("that are just as long are whole", func(t *testing.T) {
		for _, uids := range [][]string{{"p"}, {"p", "q", "r"}} {
			got, err := cut.ReadNotes(t.Context(), uids)
			require.NoError(t, err)
			want, err := whole.ReadNotes(t.Context(), uids)
			require.NoError(t, err)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("of %v it reads %d blocks, want %d", uids, len(got["p"].Children), len(want["p"].Children))
			}
		}
		if around, err := cut.RefsAround(t.Context(), "p"); err != nil || len(around.From) != 1000 {
			t.Errorf("%d refer to it, %v", len(around.From), err)
		}
		if _, count, err := cut.PlaceOf(t.Context(), "p"); err != nil || count != 1000 {
			t.Errorf("%d refer to it, %v", count, err)
		}
	})
	for name, read := range map[string]func() error{
		"children":                     func() error { _, err := cut.ReadNotes(t.Context(), []string{"w"}); return err },
		"children of several":          func() error { _, err := cut.ReadNotes(t.Context(), []string{"p", "w"}); return err },
		"children of a titled note":    func() error { _, _, err := cut.ReadNoteTitled(t.Context(), "Wide"); return err },
		"references":                   func() error { _, err := cut.ReadNotes(t.Context(), []string{"rr"}); return err },
		"references around a block":    func() error { _, err := cut.RefsAround(t.Context(), "refs1001"); return err },
		"referrers":                    func() error { _, err := cut.RefsAround(t.Context(), "top"); return err },
		"referrers at a block's place": func() error { _, _, err := cut.PlaceOf(t.Context(), "top"); return err },
	} {
		t.Run("of "+name+" that are longer are an error", func(t *testing.T) {
			if err := read(); problem.CodeOf(err) != localapi.CodeUnsupportedRoam {
				t.Errorf("error %v", err)
			}
		})
	}
}
