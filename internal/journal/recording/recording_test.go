package recording_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

func ptr[T any](value T) *T { return &value }

// writes are of every kind, by the name of their golden file.
var writes = map[string]func(ctx context.Context, g *ops.Graph) error{
	"make blocks below a block": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.CreateBlocks(ctx, ops.NewBlocks{Location: ops.Location{ParentUID: "list"}, Markdown: "- three about [[New page]]\n  - four"}, "")
		return err
	},
	"make blocks on a page that is made": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.CreateBlocks(ctx, ops.NewBlocks{Location: ops.Location{PageTitle: "Fresh", NestUnder: "Section"}, Markdown: "first"}, "")
		return err
	},
	"make blocks on a day": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.CreateBlocks(ctx, ops.NewBlocks{Location: ops.Location{Day: "01-16-2024"}, Markdown: "today"}, "")
		return err
	},
	"make a page": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.CreatePage(ctx, ops.NewPage{Title: "On [[Mars]]", Markdown: "red"})
		return err
	},
	"make blocks with uids of their own": restoreThree,
	"comment": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.AddComment(ctx, ops.NewComment{BlockUID: "one", Text: "I agree"})
		return err
	},
	"change a text": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UpdateBlock(ctx, ops.BlockUpdate{UID: "buy", String: ptr("Buy [[Coffee]]")})
		return err
	},
	"change how a block looks": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UpdateBlock(ctx, ops.BlockUpdate{UID: "two", Heading: ptr(0), Open: ptr(false)})
		return err
	},
	"change several blocks, of which one is none": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UpdateBlocks(ctx, ops.BlockUpdates{{UID: "one", String: ptr("1")}, {UID: "none", String: ptr("0")}})
		return err
	},
	"change how a page looks": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UpdatePage(ctx, ops.PageUpdate{UID: "plan", ViewType: "numbered"})
		return err
	},
	"rename a page": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UpdatePage(ctx, ops.PageUpdate{UID: "tea", Title: "Green tea"})
		return err
	},
	"merge pages": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UpdatePage(ctx, ops.PageUpdate{UID: "tea", Title: "Drinks", Merge: true})
		return err
	},
	"merge a page into none": func(ctx context.Context, g *ops.Graph) error {
		if _, err := g.CreateBlocks(ctx, ops.NewBlocks{Location: ops.Location{ParentUID: "tea"}, Markdown: "- its own #Tea"}, ""); err != nil {
			return err
		}
		_, err := g.UpdatePage(ctx, ops.PageUpdate{UID: "tea", Title: "Chai", Merge: true})
		return err
	},
	"delete a page, whereby two others become one": func(ctx context.Context, g *ops.Graph) error {
		if _, err := g.CreatePage(ctx, ops.NewPage{Title: "About Tea"}); err != nil {
			return err
		}
		_, err := g.Remove(ctx, ops.Page, "tea")
		return err
	},
	"move a block": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.MoveBlock(ctx, ops.BlockMove{UID: "one", ParentUID: "tea", Order: ops.Order{First: true}})
		return err
	},
	"reorder blocks": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.MoveBlocks(ctx, ops.BlockMoves{UIDs: []string{"last", "list"}, ParentUID: "plan", Order: ops.Order{First: true}})
		return err
	},
	"move blocks": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.MoveBlocks(ctx, ops.BlockMoves{UIDs: []string{"last", "one"}, ParentUID: "tea", Order: ops.Order{First: true}})
		return err
	},
	"delete a block that others refer to": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.Remove(ctx, ops.Block, "list")
		return err
	},
	"delete a page": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.Remove(ctx, ops.Page, "tea")
		return err
	},
	"delete several blocks": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.RemoveBlocks(ctx, []string{"one", "buy"})
		return err
	},
	"add a shortcut": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.AddShortcut(ctx, ops.NewShortcut{PageUID: "tea"})
		return err
	},
	"remove a shortcut": func(ctx context.Context, g *ops.Graph) error {
		if _, err := g.AddShortcut(ctx, ops.NewShortcut{PageUID: "plan"}); err != nil {
			return err
		}
		_, err := g.RemoveShortcut(ctx, "plan")
		return err
	},
	"upload a file": func(ctx context.Context, g *ops.Graph) error {
		_, err := g.UploadFile(ctx, ops.FileSource{Base64: strings.Repeat("AAAA", 100), MediaType: "image/png", Name: "a.png"})
		return err
	},
}

func TestRecording(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Export: export})
	for name, write := range writes {
		t.Run("of "+name, func(t *testing.T) {
			w := newWorld(t, suite)
			g, _ := w.call(recording.All)
			require.NoError(t, write(t.Context(), g))
			golden.File(t, filepath.Join("testdata", strings.NewReplacer(" ", "-", ",", "").Replace(name)+".golden"), w.recorded(t))
		})
	}
}

// restoreThree makes three blocks in one request.
func restoreThree(ctx context.Context, g *ops.Graph) error {
	page, _, err := g.ReadNote(ctx, "plan")
	if err != nil {
		return err
	}
	want := append(page.Outline(), outline.Block{UID: "back1", String: "one of [[Mars]]", Children: []outline.Block{{UID: "back2", String: "two", Heading: 1}}}, outline.Block{UID: "back3", String: "three"})
	_, err = g.Restore(ctx, page, want, nil)
	return err
}

// A request of which Roam did a part is recorded with what it has made, and the rest with
// another one.
func TestRecording_ofBlocksOfWhichSomeAreMade(t *testing.T) {
	w := newWorld(t, profiletest.NewSuite(t, profiletest.Options{Export: export}))
	w.fail = func(action string) error {
		if action != "batchActions" {
			return nil
		}
		w.Roam("data.block.create", map[string]any{"location": map[string]any{"parent-uid": "plan", "order": 3}, "block": map[string]any{"uid": "back1", "string": "one of [[Mars]]"}})
		return &problem.Error{Code: localapi.CodeInternal, Message: "It failed.", Call: &problem.Call{Status: 500, Sent: true}}
	}
	g, _ := w.call(recording.All)
	require.NoError(t, restoreThree(t.Context(), g.AllowPartial()))
	recorded := w.recorded(t)
	for _, want := range []string{"\n  done 1 of the 3 blocks are there. 2 of 3 parts were not done. made back1\n", "\n  done made back2\n", "\n  done made back3\n", "  = 3 blocks on \"Plan\"\n"} {
		if !strings.Contains(recorded, want) {
			t.Errorf("%q is not in\n%s", want, recorded)
		}
	}
}
