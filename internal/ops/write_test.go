package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

func TestWrite(t *testing.T) {
	write := NewBlocks{Location: Location{ParentUID: " p "}, Markdown: "x"}
	const action = "data.block.fromMarkdown"
	send := func(t *testing.T, roam *fakeRoam, kept *journal) (json.RawMessage, error) {
		t.Helper()
		return roam.on(kept).write(t.Context(), write)
	}
	t.Run("returns Roam's reply, recorded", func(t *testing.T) {
		kept := &journal{}
		result, err := send(t, newFakeRoam(map[string]string{action: `{"uids":["n"]}`}), kept)
		if err != nil || string(result) != `{"uids":["n"]}` || kept.ended[0].Applied != Yes || string(kept.ended[0].Reply) != string(result) {
			t.Errorf("got %s, %v; recorded %+v", result, err, kept.ended)
		}
	})
	t.Run("sends nothing that is refused by the recorder", func(t *testing.T) {
		roam, refused := newFakeRoam(map[string]string{action: `null`}), errors.New("paused")
		if _, err := send(t, roam, &journal{refuse: refused}); !errors.Is(err, refused) || len(roam.sent) != 0 {
			t.Errorf("got %v, sent %v", err, roam.sent)
		}
	})
	for name, tc := range map[string]struct {
		failed  *problem.Error
		rows    string
		want    problem.Code
		applied Applied
	}{
		"takes Roam's word where nothing is there":        {failedCall(localapi.CodeNotFound, 500), `[]`, localapi.CodeNotFound, No},
		"takes no word of Roam against what is there":     {failedCall(localapi.CodeNotFound, 500), `[["n","x"]]`, CodeOutcomeUnknown, Yes},
		"takes a refusal without a doubt as one":          {failedCall(localapi.CodeInsufficientScope, 403), `[["n","x"]]`, localapi.CodeInsufficientScope, No},
		"takes what was not sent as not done":             {&problem.Error{Code: localapi.CodeConnectionFailed, Call: &problem.Call{}}, `[["n","x"]]`, localapi.CodeConnectionFailed, No},
		"takes a call that is too long as not done":       {failedCall(localapi.CodeRequestTooLarge, 413), `[["n","x"]]`, localapi.CodeRequestTooLarge, No},
		"looks where the reply can't be read":             {failedCall(localapi.CodeInvalidReply, 200), `[["n","x"]]`, CodeOutcomeUnknown, Yes},
		"looks where a gateway answered":                  {failedCall(localapi.CodeInternal, 504), `[]`, CodeOutcomeUnknown, Unknown},
		"looks where the window was closed":               {failedCall(localapi.CodeWindowClosed, 500), `[["n","x"]]`, CodeOutcomeUnknown, Yes},
		"looks where the query took too long":             {failedCall(localapi.CodeQueryTimeout, 500), `[["n","x"]]`, CodeOutcomeUnknown, Yes},
		"looks where Roam broke, and sees that it did it": {failedCall(localapi.CodeInternal, 500), `[["n","x"]]`, CodeOutcomeUnknown, Yes},
		"believes Roam's failure where nothing was done":  {failedCall(localapi.CodeInternal, 500), `[]`, localapi.CodeInternal, No},
	} {
		t.Run(name, func(t *testing.T) {
			roam, kept := newFakeRoam(map[string]string{"q": tc.rows}), &journal{}
			roam.answers[action] = func([]any) (string, error) { return "", tc.failed }
			_, err := send(t, roam, kept)
			if problem.CodeOf(err) != tc.want || kept.ended[0].Applied != tc.applied || len(roam.sent) != 1 {
				t.Errorf("got %v, recorded %+v, sent %v", err, kept.ended, roam.sent)
			}
			if told, _ := problem.As(err); strings.Contains(told.Message, "reply was lost") && tc.failed.Code == localapi.CodeInternal && tc.failed.Status() == 500 {
				t.Errorf("it is told as lost: %s", told.Message)
			}
		})
	}
	t.Run("reads again what fails while it looks, where it was sent", func(t *testing.T) {
		roam := newFakeRoam(nil)
		roam.answers[action] = lostReply
		tries := 0
		roam.answers["q"] = func([]any) (string, error) {
			if tries++; tries == 1 {
				return lostReply(nil)
			}
			return `[["n","x"]]`, nil
		}
		if _, err := send(t, roam, &journal{}); err.(*problem.Error).Detail(DetailApplied) != Yes || !strings.Contains(roam.asked[1], `," p ",`) {
			t.Errorf("got %v; asked %v", err, roam.asked)
		}
	})
	t.Run("is not sent again by a person who can't see whether it was done", func(t *testing.T) {
		roam := newFakeRoam(nil)
		roam.answers["data.ai.callExtensionTool"] = lostReply
		_, err := roam.on(nil).CallExtension(t.Context(), ExtensionCall{Tool: "count"})
		if told, _ := problem.As(err); told == nil || !strings.Contains((problem.World{}).Say(told.Hint), "ask the user") {
			t.Errorf("there is no place in the graph to read: %v", err)
		}
	})
}

func TestWrite_doesNotTakeItForAnotherOfTheSameContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		roam := newFakeRoam(map[string]string{"q": `[["n1","x"]]`})
		sent := 0
		roam.answers["data.block.fromMarkdown"] = func([]any) (string, error) {
			roam.mu.Lock()
			sent++
			n := sent
			roam.mu.Unlock()
			time.Sleep(time.Second) // until the other one is sent, too
			if n == 1 {
				return lostReply(nil)
			}
			return `{"uids":["n1"]}`, nil
		}
		graph, errs := roam.on(nil), make(chan error, 2)
		for range 2 {
			go func() {
				_, err := graph.CreateBlocks(t.Context(), NewBlocks{Location: Location{ParentUID: "p"}, Markdown: "x"}, "")
				errs <- err
			}()
		}
		one, other := <-errs, <-errs
		if other != nil {
			one, other = other, one
		}
		if told, ok := problem.As(one); !ok || other != nil || told.Detail(DetailApplied) != Unknown {
			t.Errorf("got %v and %v", one, other)
		}
	})
}

func TestUpdateBlocks_looksForEachPartOfALostBatch(t *testing.T) {
	updates := BlockUpdates{{UID: "a", String: ptr("x")}, {UID: "b", String: ptr("y")}}
	for name, tc := range map[string]struct {
		texts    map[string]string
		want     Applied
		evidence string
	}{
		"all were done":   {map[string]string{"a": "x", "b": "y"}, Yes, "All 2 were done."},
		"none was done":   {map[string]string{"a": "1", "b": "2"}, Unknown, "None of the 2 was done. Roam may still do it."},
		"one was done":    {map[string]string{"a": "x", "b": "2"}, Unknown, `Done: "a". Not done: "b".`},
		"one is not read": {map[string]string{"a": "x"}, Unknown, `Done: "a". Can't be told: "b".`},
	} {
		t.Run(name, func(t *testing.T) {
			roam := newFakeRoam(nil)
			roam.answers["data.block.updateBlocks"] = lostReply
			roam.answers["q"] = func(args []any) (string, error) {
				text, read := tc.texts[args[1].(string)]
				if !read {
					return "", failedCall(localapi.CodeInternal, 500)
				}
				at := map[bool]string{true: "9e15", false: "1"}[text == "x" || text == "y"]
				return fmt.Sprintf(`[[%q,0,true,"left",":bullet",%s]]`, text, at), nil
			}
			report, err := roam.on(nil).UpdateBlocks(t.Context(), updates)
			if tc.want == Yes {
				if list := string(report.List()); err != nil || report.Succeeded != 2 || strings.Count(list, `"recovered":true`) != 2 {
					t.Errorf("got %v, %s", err, list)
				}
				return
			}
			told, _ := problem.As(err)
			if told == nil || told.Detail(DetailApplied) != tc.want || told.Detail(DetailEvidence) != tc.evidence {
				t.Errorf("got %v, %v", err, told.Details)
			}
		})
	}
}

func TestContentOf_namesALargeUploadByItsHash(t *testing.T) {
	name := func(content string) string {
		return contentOf(localapi.Graph{Name: "g"}, "file.upload", []any{request{"base64": content}})
	}
	large := strings.Repeat("x", 1<<20)
	if named := name(large); len(named) > 64 || named != name(large) || named == name(large+"y") {
		t.Errorf("the name has %d bytes", len(named))
	}
}

func TestWritesInFlight_forgetsWhatIsOver(t *testing.T) {
	w := newWritesInFlight()
	running := w.begin("running", 0)
	for i := range 3 * keptContents {
		w.begin(fmt.Sprint(i), int64(i)).end(int64(i))
	}
	if n := len(w.byContent); n > keptContents {
		t.Errorf("%d are kept", n)
	}
	if again := w.begin("running", 10000); !again.met() || !running.met() {
		t.Error("two at the same time have not met")
	}
}

// TestRecorder_isAskedBeforeAnythingChanges calls whatever changes something.
func TestRecorder_isAskedBeforeAnythingChanges(t *testing.T) {
	paused := errors.New("paused")
	block := `[{"f-uid":"b","f-string":"x","f-children":[{"f-uid":"c","f-string":"y"}]}]`
	for name, change := range map[string]func(context.Context, *Graph) error{
		"CreatePage": func(ctx context.Context, g *Graph) error {
			_, err := g.CreatePage(ctx, NewPage{Title: "New"})
			return err
		},
		"CreateBlocks": func(ctx context.Context, g *Graph) error { _, err := g.CreateBlocks(ctx, NewBlocks{}, ""); return err },
		"AddComment":   func(ctx context.Context, g *Graph) error { _, err := g.AddComment(ctx, NewComment{}); return err },
		"UpdateBlock": func(ctx context.Context, g *Graph) error {
			_, err := g.UpdateBlock(ctx, BlockUpdate{UID: "b"})
			return err
		},
		"UpdateBlocks": func(ctx context.Context, g *Graph) error {
			_, err := g.UpdateBlocks(ctx, BlockUpdates{{UID: "b"}})
			return err
		},
		"UpdatePage": func(ctx context.Context, g *Graph) error {
			_, err := g.UpdatePage(ctx, PageUpdate{UID: "p"})
			return err
		},
		"MoveBlock": func(ctx context.Context, g *Graph) error { _, err := g.MoveBlock(ctx, BlockMove{}); return err },
		"Remove":    func(ctx context.Context, g *Graph) error { _, err := g.Remove(ctx, Block, "b"); return err },
		"RemoveBlocks": func(ctx context.Context, g *Graph) error {
			_, err := g.RemoveBlocks(ctx, []string{"b", "b"})
			return err
		},
		"AddShortcut":    func(ctx context.Context, g *Graph) error { _, err := g.AddShortcut(ctx, NewShortcut{}); return err },
		"RemoveShortcut": func(ctx context.Context, g *Graph) error { _, err := g.RemoveShortcut(ctx, "p"); return err },
		"UploadFile": func(ctx context.Context, g *Graph) error {
			_, err := g.UploadFile(ctx, FileSource{Base64: "eA=="})
			return err
		},
		"RemoveFile":    func(ctx context.Context, g *Graph) error { _, err := g.RemoveFile(ctx, "https://x.test/f"); return err },
		"CallExtension": func(ctx context.Context, g *Graph) error { _, err := g.CallExtension(ctx, ExtensionCall{}); return err },
	} {
		t.Run(name, func(t *testing.T) {
			roam, kept := newFakeRoam(map[string]string{"data.pull_many": block, "q": `[]`}), &journal{refuse: paused}
			if err := change(t.Context(), roam.on(kept)); !errors.Is(err, paused) || len(kept.begun) != 1 || len(kept.ended) != 0 {
				t.Fatalf("got %v; recorded %+v, %+v", err, kept.begun, kept.ended)
			}
			for _, action := range roam.sent {
				if !slices.Contains([]string{"data.ai.getBlock", "data.pull_many", "q"}, action) {
					t.Errorf("%s was sent", action)
				}
			}
			begun := kept.begun[0]
			if action, _ := begun.Write.Request(); begun.Action != action || begun.Graph.Name != "work" || begun.Caller != roam || len(begun.Args) == 0 {
				t.Errorf("recorded %+v", begun)
			}
		})
	}
}

func TestCreateBlocks_isDoneThoughItsBlocksCannotBeNamed(t *testing.T) {
	for name, tc := range map[string]struct{ markdown, viewType, warns string }{
		"an outline":               {"- a\n  - b", "", ""},
		"a numbered list":          {"1. b\n2. c", "", "listed as before"},
		"blocks that are numbered": {"- b\n- c", "numbered", "listed as before"},
	} {
		t.Run(name, func(t *testing.T) {
			roam := newFakeRoam(map[string]string{"data.block.fromMarkdown": `{"uids":["u"]}`})
			created, err := roam.on(nil).CreateBlocks(t.Context(), NewBlocks{Location: Location{ParentUID: "p"}, Markdown: tc.markdown}, tc.viewType)
			warning := problem.World{}.Say(created.Warning)
			if err != nil || string(created.Reply.JSON()) != `{"uids":["u"]}` || !strings.Contains(warning, tc.warns) || (warning == "") != (tc.warns == "") {
				t.Errorf("got %s, %q, %v", created.Reply.JSON(), warning, err)
			}
			if len(roam.sent) != 1 {
				t.Errorf("sent %v", roam.sent)
			}
		})
	}
}

// What edit times do not show has to be looked for.
func TestRestructures(t *testing.T) {
	for name, test := range map[string]struct {
		write Write
		want  bool
	}{
		"a move":                   {BlockMove{UID: "b", ParentUID: "p"}, true},
		"another order":            {Reordering{ParentUID: "p", UIDs: []string{"b"}}, true},
		"a new shortcut":           {NewShortcut{PageUID: "p"}, true},
		"a shortcut less":          {ShortcutRemoval{PageUID: "p"}, true},
		"a deletion":               {Removal{Thing: Block, UID: "b"}, true},
		"a page that takes one in": {PageUpdate{UID: "p", Title: "x", Merge: true}, true},
		"a new title":              {PageUpdate{UID: "p", Title: "x"}, false},
		"another text":             {BlockUpdate{UID: "b"}, false},
		"new blocks":               {NewBlocks{Location: Location{ParentUID: "p"}, Markdown: "x"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.write.Footprint().restructures(); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
