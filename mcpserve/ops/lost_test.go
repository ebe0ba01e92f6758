package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roam-mcp/localapi"
	"roam-mcp/mcpserve/internal/filesource"
	"roam-mcp/problem"
)

// fakeRoam answers actions; one that it has no answer for it does not know. It
// is a Caller.
type fakeRoam struct {
	mu      sync.Mutex
	answers map[string]func(args []any) (string, error)
	sent    []string // the actions that were sent
	asked   []string // the arguments of looks, as JSON
}

func newFakeRoam(results map[string]string) *fakeRoam {
	r := &fakeRoam{answers: map[string]func([]any) (string, error){}}
	for action, result := range results {
		r.answers[action] = func([]any) (string, error) { return result, nil }
	}
	return r
}

func (r *fakeRoam) call(action string, args []any) (localapi.Reply, error) {
	r.mu.Lock()
	answer := r.answers[action]
	r.mu.Unlock()
	if answer == nil {
		return localapi.Reply{}, failedCall(localapi.CodeUnknownAction, 404)
	}
	result, err := answer(args)
	return localapi.Reply{Result: json.RawMessage(result)}, err
}

func (r *fakeRoam) Send(_ context.Context, action string, args ...any) (localapi.Reply, error) {
	r.mu.Lock()
	r.sent = append(r.sent, action)
	r.mu.Unlock()
	return r.call(action, args)
}

func (r *fakeRoam) Look(_ context.Context, action string, args ...any) (localapi.Reply, error) {
	asked, _ := json.Marshal(args)
	r.mu.Lock()
	r.asked = append(r.asked, string(asked))
	r.mu.Unlock()
	return r.call(action, args)
}

func (r *fakeRoam) Explain(_ context.Context, err error) error { return err }

// failedCall is a call that was sent and failed.
func failedCall(code problem.Code, status int) *problem.Error {
	return &problem.Error{Code: code, Message: "It failed.", Call: &problem.Call{Status: status, Sent: true}}
}

func lostReply([]any) (string, error) { return "", failedCall(localapi.CodeConnectionFailed, 0) }

// noon is when the writes of these tests are sent.
func noon() time.Time { return time.Date(2026, time.November, 15, 12, 0, 0, 0, time.UTC) }

// on returns operations on a graph of r. No time passes between two looks.
func (r *fakeRoam) on(recorder Recorder) *Graph {
	return New(Options{
		Now: noon, Recorder: recorder, LookTimeout: time.Minute,
		Wait: func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil },
	}).On(localapi.Graph{Name: "work", Type: localapi.Hosted}, r)
}

func ptr[T any](value T) *T { return &value }

// lost is a write whose reply is lost, what reads show, and what is to come out.
type lost struct {
	write Write
	reads map[string]string
	want  Applied
}

// parentResult is a block as Roam reads it, with the children x and b.
const parentResult = `{"uid":"p","markdown":"- P <roam uid=\"p\"/>\n  - x <roam uid=\"x\"/>\n  - b <roam uid=\"b\"/>\n"}`

const pageResult = `{"uid":"p1","title":"Page","markdown":"# Page <roam uid=\"p1\"/>\n- a <roam uid=\"a\"/>\n"}`

// lostCreations are writes that create blocks and pages.
func lostCreations() map[string]lost {
	below := func(markdown string) NewBlocks {
		return NewBlocks{Location: Location{ParentUID: "p"}, Markdown: markdown}
	}
	create, today := below("- Buy milk\n  - oat"), NewBlocks{Location: Location{Day: "11-15-2026"}, Markdown: "eggs"}
	return map[string]lost{
		"created, as a query shows":                    {create, map[string]string{"q": `[["n1","Buy milk"],["n2","oat"]]`}, Yes},
		"not created, as a query shows":                {create, map[string]string{"q": `[]`}, No},
		"created, in Roam's markup":                    {below("## *Buy* milk\n- oat"), map[string]string{"q": `[["n2","oat"],["n1","__Buy__ milk"]]`}, Yes},
		"created, a text of several lines":             {create, map[string]string{"q": `[["n1","Buy milk\nand more"]]`}, Yes},
		"something else was created":                   {create, map[string]string{"q": `[["n1","Buy bread"]]`}, No},
		"something like it was created":                {create, map[string]string{"q": `[["n1","Buy milk, please"]]`}, Unknown},
		"a table, whose text is elsewhere":             {below("| a | b |"), map[string]string{"q": `[["n1","{{[[table]]}}"]]`}, Unknown},
		"a query that is answered with something else": {create, map[string]string{"q": `{"rows":1}`}, Unknown},
		"a block that may be older": {create,
			map[string]string{"data.ai.getBlock": `{"uid":"p","markdown":"- P <roam uid=\"p\"/>\n  - Buy milk <roam uid=\"o\"/>"}`}, Unknown},
		"no such block at the target":            {create, map[string]string{"data.ai.getBlock": parentResult}, No},
		"markup that may read differently":       {below("*x*"), map[string]string{"data.ai.getBlock": parentResult}, Unknown},
		"nothing can be read":                    {create, nil, Unknown},
		"appended to a day, as a query shows":    {today, map[string]string{"q": `[["n","eggs"]]`}, Yes},
		"not appended to a day, as a read shows": {today, map[string]string{"data.ai.getPage": `{"uid":"11-15-2026","markdown":"# November 15th, 2026 <roam uid=\"11-15-2026\"/>"}`, "data.ai.getBlock": `null`}, No},
		"no page of that title":                  {NewPage{Title: "New"}, map[string]string{"data.ai.getPage": `null`}, No},
		"a page that may be older":               {NewPage{Title: "New"}, map[string]string{"data.ai.getPage": pageResult}, Unknown},
		"a page created since":                   {NewPage{Title: "New"}, map[string]string{"q": `[["p1",9e15]]`}, Yes},
		"a page that a query shows to be older":  {NewPage{Title: "New"}, map[string]string{"q": `[["p1",1]]`}, No},
		"no page, as a query shows":              {NewPage{Title: "New"}, map[string]string{"q": `[]`}, No},
		"a page with another uid":                {NewPage{Title: "New", UID: "mine"}, map[string]string{"q": `[["p1",9e15]]`}, No},
		"a page that a reference may have made":  {NewPage{Title: "New", Markdown: "- some text"}, map[string]string{"q": `[["p1",9e15]]`}, Unknown},
	}
}

// lostChanges are writes to blocks that are there.
func lostChanges() map[string]lost {
	block := func(text string) map[string]string {
		return map[string]string{"data.ai.getBlock": fmt.Sprintf(`{"uid":"b","markdown":%q}`, "- "+text+` <roam uid="b"/>`)}
	}
	query := func(rows string) map[string]string { return map[string]string{"q": rows} }
	text := BlockUpdate{UID: "b", String: ptr("New text")}
	heading := BlockUpdate{UID: "b", String: ptr("New text"), Heading: ptr(2)}
	last := BlockMove{UID: "b", ParentUID: "p"}
	atStart := func(uid string) BlockMove { return BlockMove{UID: uid, ParentUID: "p", Order: Order{Index: ptr(0)}} }
	return map[string]lost{
		"updated":                           {text, block("New text"), Yes},
		"not updated":                       {text, block("Old text"), No},
		"an update that a read hides":       {BlockUpdate{UID: "b", Open: ptr(false)}, block("Old text"), Unknown},
		"only the text was so already":      {heading, query(`[["New text",0,true,"left",":bullet",1]]`), No},
		"changed by somebody else":          {text, query(`[["Other text",0,true,"left",":numbered",9e15]]`), Unknown},
		"new text, the rest can't be read":  {heading, block("New text"), Unknown},
		"updated, as a query shows":         {BlockUpdate{UID: "b", String: ptr("**New**\ntext"), Heading: ptr(2)}, query(`[["**New**\ntext",2,true,"left",":numbered",9e15]]`), Yes},
		"all was so already":                {BlockUpdate{UID: "b", String: ptr("New text"), ViewType: ptr("numbered")}, query(`[["New text",0,true,"left",":numbered",1]]`), Unknown},
		"not deleted, as a query shows":     {Removal{Thing: Block, UID: "b"}, map[string]string{"data.ai.getBlock": `null`, "q": `[["b"]]`}, No},
		"not deleted":                       {Removal{Thing: Block, UID: "b"}, block("x"), No},
		"gone, and was there before":        {Removal{Thing: Block, UID: "b", Before: json.RawMessage(`{}`)}, query(`[]`), Yes},
		"gone, and may have been before":    {Removal{Thing: Block, UID: "b"}, query(`[]`), Unknown},
		"a page that is still there":        {Removal{Thing: Page, UID: "p"}, map[string]string{"data.ai.getPage": pageResult}, No},
		"blocks that are still there":       {Removals{{Thing: Block, UID: "b"}, {Thing: Block, UID: "b"}}, block("x"), No},
		"moved":                             {last, map[string]string{"data.ai.getBlock": parentResult, "q": `[["p",9e15]]`}, Yes},
		"at the place, perhaps from before": {last, map[string]string{"data.ai.getBlock": parentResult, "q": `[["p",1]]`}, Unknown},
		"below its old parent":              {last, query(`[["old",1]]`), No},
		"at another place":                  {atStart("b"), map[string]string{"data.ai.getBlock": parentResult}, Unknown},
		"not moved":                         {atStart("other"), map[string]string{"data.ai.getBlock": parentResult}, No},
	}
}

// lostPageChanges are writes to pages and comments.
func lostPageChanges() map[string]lost {
	page := func(title string) map[string]string {
		return map[string]string{"data.ai.getPage": fmt.Sprintf(`{"uid":"p","markdown":%q}`, "# "+title+` <roam uid="p" refs="2"/>`)}
	}
	comment := func(text, edited string) string {
		return fmt.Sprintf(`{"total":1,"comments":[{"parentUid":"c","createdTime":"2026-11-01T08:00:00.000Z","editedTime":%q,"markdown":%q}]}`, edited, "- "+text+` <roam uid="x"/>`)
	}
	const since, before = "2026-11-15T12:00:00.000Z", "2026-11-15T11:59:59.999Z"
	rename, says := PageUpdate{UID: "p", Title: "New title"}, NewComment{BlockUID: "b", Text: "how fine"}
	return map[string]lost{
		"renamed":                {rename, page("New title"), Yes},
		"not renamed":            {rename, page("Old title"), No},
		"renamed to markup":      {PageUpdate{UID: "p", Title: "*New*"}, page("__New__"), Unknown},
		"merged, it may be":      {PageUpdate{UID: "p", Title: "New title", Merge: true}, map[string]string{"data.ai.getPage": `null`}, Unknown},
		"renamed, and its look":  {PageUpdate{UID: "p", Title: "New title", ViewType: "document"}, page("New title"), Unknown},
		"a page's look":          {PageUpdate{UID: "p", ViewType: "document"}, page("Old title"), Unknown},
		"commented":              {says, map[string]string{"data.ai.getComments": comment("how fine", since)}, Yes},
		"a comment may be older": {says, map[string]string{"data.ai.getComments": comment("how fine", before)}, Unknown},
		"not commented":          {says, map[string]string{"data.ai.getComments": comment("too coarse", since)}, No},
		"commented in markup": {NewComment{BlockUID: "b", Markdown: "- *how* fine"},
			map[string]string{"data.ai.getComments": comment("__how__ fine", since)}, Unknown},
		"commented, as a query shows": {says, map[string]string{"q": `[["x","how fine"]]`, "data.ai.getComments": comment("how fine", before)}, Yes},
		"said again, but elsewhere":   {says, map[string]string{"q": `[["y","how fine"]]`, "data.ai.getComments": comment("how fine", since)}, Unknown},
		"nothing was said, as a query shows": {says,
			map[string]string{"q": `[]`, "data.ai.getComments": comment("how fine", since)}, No},
		"nothing was said in these words, as a query shows": {NewComment{BlockUID: "b", Markdown: "*how* fine"},
			map[string]string{"q": `[]`, "data.ai.getComments": comment("too coarse", since)}, Unknown},
		"comments that can't be read": {says, map[string]string{"data.ai.getComments": `null`}, Unknown},
	}
}

// lostOthers are writes to shortcuts and files.
func lostOthers() map[string]lost {
	query := func(rows string) map[string]string { return map[string]string{"q": rows} }
	last, first := NewShortcut{PageUID: "p"}, NewShortcut{PageUID: "p", Index: ptr(0)}
	return map[string]lost{
		"a shortcut at the end":        {last, query(`[[3,"p"],[0,"o"]]`), Yes},
		"a shortcut at its place":      {first, query(`[[5,"o"],[2,"p"]]`), Yes},
		"a shortcut at another place":  {first, query(`[[3,"p"],[0,"o"]]`), Unknown},
		"no shortcut":                  {last, query(`[[0,"o"]]`), No},
		"shortcuts that can't be read": {last, query(`[["o"]]`), Unknown},
		"the shortcut is gone":         {ShortcutRemoval{"p"}, query(`[]`), Yes},
		"the shortcut is there":        {ShortcutRemoval{"p"}, query(`[[0,"p"]]`), No},
		"the file is there":            {FileRemoval{"https://x.test/f"}, map[string]string{"file.get": `{"base64":""}`}, No},
		"a file that can't be read":    {FileRemoval{"https://x.test/f"}, nil, Unknown},
		"an upload":                    {FileUpload{filesource.File{Content: []byte("x")}}, nil, Unknown},
		"an extension":                 {ExtensionCall{Tool: "count"}, nil, Unknown},
	}
}

// journal is a Recorder that keeps what it is told.
type journal struct {
	begun  []Recorded
	ended  []Outcome
	refuse error
}

func (j *journal) Begin(_ context.Context, write Recorded) (func(Outcome), error) {
	j.begun = append(j.begun, write)
	return func(o Outcome) { j.ended = append(j.ended, o) }, j.refuse
}

func TestWrite_looksForOneWhoseReplyWasLost(t *testing.T) {
	all := lostCreations()
	for _, more := range []map[string]lost{lostChanges(), lostPageChanges(), lostOthers()} {
		maps.Copy(all, more)
	}
	for name, tc := range all {
		t.Run(name, func(t *testing.T) {
			roam, kept := newFakeRoam(tc.reads), &journal{}
			action, _ := tc.write.Request()
			roam.answers[action] = lostReply
			_, err := roam.on(kept).write(t.Context(), tc.write)
			told, ok := problem.As(err)
			if !ok || told.Code != CodeOutcomeUnknown {
				t.Fatalf("got %v", err)
			}
			evidence, _ := told.Detail(DetailEvidence).(string)
			if told.Detail(DetailApplied) != tc.want || evidence == "" || told.Hint.IsZero() {
				t.Errorf("applied is %v, want %v: %s", told.Detail(DetailApplied), tc.want, evidence)
			}
			if (told.Retry == problem.RetryLater) != (tc.want == No) {
				t.Errorf("that it can be sent again is %v", told.Retry)
			}
			if len(roam.sent) != 1 || len(kept.begun) != 1 || len(kept.ended) != 1 {
				t.Fatalf("sent %v, recorded %v, %v", roam.sent, kept.begun, kept.ended)
			}
			if ended := kept.ended[0]; ended.Applied != tc.want || ended.Evidence != evidence || !errors.Is(ended.Err, err) {
				t.Errorf("recorded is %+v", ended)
			}
		})
	}
}

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
		"takes Roam's word that nothing was done":         {failedCall(localapi.CodeNotFound, 500), `[["n","x"]]`, localapi.CodeNotFound, No},
		"takes what was not sent as not done":             {&problem.Error{Code: localapi.CodeConnectionFailed, Call: &problem.Call{}}, `[["n","x"]]`, localapi.CodeConnectionFailed, No},
		"looks where the reply can't be read":             {failedCall(localapi.CodeInvalidReply, 200), `[["n","x"]]`, CodeOutcomeUnknown, Yes},
		"looks where a gateway answered":                  {failedCall(localapi.CodeInternal, 504), `[]`, CodeOutcomeUnknown, No},
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
				_, err := graph.CreateBlocks(t.Context(), NewBlocks{Location: Location{ParentUID: "p"}, Markdown: "x"})
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
		"none was done":   {map[string]string{"a": "1", "b": "2"}, No, "None of the 2 was done."},
		"one was done":    {map[string]string{"a": "x", "b": "2"}, Unknown, `Done: "a". Not done: "b".`},
		"one is not read": {map[string]string{"a": "x"}, Unknown, `Done: "a". Can't be told: "b".`},
	} {
		t.Run(name, func(t *testing.T) {
			roam := newFakeRoam(nil)
			roam.answers["data.block.updateBlocks"] = lostReply
			roam.answers["data.ai.getBlock"] = func(args []any) (string, error) {
				uid := args[0].(map[string]any)["uid"].(string)
				if text, ok := tc.texts[uid]; ok {
					return fmt.Sprintf(`{"uid":%q,"markdown":"- %s <roam uid=\"%s\"/>"}`, uid, text, uid), nil
				}
				return `null`, nil
			}
			_, err := roam.on(nil).UpdateBlocks(t.Context(), updates)
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
	block := `{"uid":"b","markdown":"- x <roam uid=\"b\" refs=\"2\"/>\n  - y <roam uid=\"c\"/>"}`
	for name, change := range map[string]func(context.Context, *Graph) error{
		"CreatePage": func(ctx context.Context, g *Graph) error {
			_, err := g.CreatePage(ctx, NewPage{Title: "New"})
			return err
		},
		"CreateBlocks": func(ctx context.Context, g *Graph) error { _, err := g.CreateBlocks(ctx, NewBlocks{}); return err },
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
			roam, kept := newFakeRoam(map[string]string{"data.ai.getBlock": block}), &journal{refuse: paused}
			if err := change(t.Context(), roam.on(kept)); !errors.Is(err, paused) || len(kept.begun) != 1 || len(kept.ended) != 0 {
				t.Fatalf("got %v; recorded %+v, %+v", err, kept.begun, kept.ended)
			}
			for _, action := range roam.sent {
				if action != "data.ai.getBlock" {
					t.Errorf("%s was sent", action)
				}
			}
			begun := kept.begun[0]
			if action, _ := begun.Write.Request(); begun.Action != action || begun.Graph.Name != "work" || len(begun.Args) == 0 {
				t.Errorf("recorded %+v", begun)
			}
			if removes := strings.Contains(name, "Remove") && len(roam.sent) > 0; removes && string(begun.Replaces["b"]) != block {
				t.Errorf("what it replaces is %s", begun.Replaces)
			}
		})
	}
}
