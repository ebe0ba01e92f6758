package ops

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

// lost is a write whose reply is lost, what reads show, and what is to come out.
type lost struct {
	write Write
	reads map[string]string
	want  Applied
}

// lostCreations are writes that create blocks and pages.
func lostCreations() map[string]lost {
	below := func(markdown string) NewBlocks {
		return NewBlocks{Location: Location{ParentUID: "p"}, Markdown: markdown}
	}
	create, today := below("- Buy milk\n  - oat"), NewBlocks{Location: Location{Day: "11-15-2026"}, Markdown: "eggs"}
	creations := BlockCreations{{UID: "n1", ParentUID: "p"}, {UID: "n2", ParentUID: "n1"}}
	return map[string]lost{
		"created, as a query shows":                    {create, map[string]string{"q": `[["n1","Buy milk"],["n2","oat"]]`}, Yes},
		"not created, as a query shows":                {create, map[string]string{"q": `[]`}, No},
		"created, in Roam's markup":                    {below("## *Buy* milk\n- oat"), map[string]string{"q": `[["n2","oat"],["n1","__Buy__ milk"]]`}, Yes},
		"created, a text of several lines":             {create, map[string]string{"q": `[["n1","Buy milk\nand more"]]`}, Yes},
		"something else was created":                   {create, map[string]string{"q": `[["n1","Buy bread"]]`}, No},
		"something like it was created":                {create, map[string]string{"q": `[["n1","Buy milk, please"]]`}, Unknown},
		"a table, whose text is elsewhere":             {below("| a | b |"), map[string]string{"q": `[["n1","{{[[table]]}}"]]`}, Unknown},
		"a query that is answered with something else": {create, map[string]string{"q": `{"rows":1}`}, Unknown},
		"nothing can be read":                          {create, nil, Unknown},
		"appended to a day, as a query shows":          {today, map[string]string{"q": `[["n","eggs"]]`}, Yes},
		"a page created since":                         {NewPage{Title: "New"}, map[string]string{"q": `[["p1",9e15]]`}, Yes},
		"a page that a query shows to be older":        {NewPage{Title: "New"}, map[string]string{"q": `[["p1",1]]`}, No},
		"a page without a time":                        {NewPage{Title: "New"}, map[string]string{"q": `[["p1",0]]`}, Unknown},
		"no page, as a query shows":                    {NewPage{Title: "New"}, map[string]string{"q": `[]`}, No},
		"blocks in one request, all of them there":     {creations, map[string]string{"q": `[["n1","","p"],["n2","","n1"]]`}, Yes},
		"blocks in one request, one of them there":     {creations, map[string]string{"q": `[["n2","","n1"]]`}, Yes},
		"blocks in one request, none of them there":    {creations, map[string]string{"q": `[]`}, No},
		"blocks in one request that can't be read":     {creations, nil, Unknown},
		"a page with another uid":                      {NewPage{Title: "New", UID: "mine"}, map[string]string{"q": `[["p1",9e15]]`}, Unknown},
		"a page that a reference may have made":        {NewPage{Title: "New", Markdown: "- some text"}, map[string]string{"q": `[["p1",9e15]]`}, Unknown},
	}
}

// lostChanges are writes to blocks that are there.
func lostChanges() map[string]lost {
	query := func(rows string) map[string]string { return map[string]string{"q": rows} }
	text := BlockUpdate{UID: "b", String: ptr("New text")}
	heading := BlockUpdate{UID: "b", String: ptr("New text"), Heading: ptr(2)}
	last := BlockMove{UID: "b", ParentUID: "p"}
	atStart := func(uid string) BlockMove { return BlockMove{UID: uid, ParentUID: "p", Order: Order{Index: ptr(0)}} }
	return map[string]lost{
		"only the text was so already":      {heading, query(`[["New text",0,true,"left",":bullet",1]]`), No},
		"changed by somebody else":          {text, query(`[["Other text",0,true,"left",":numbered",9e15]]`), Unknown},
		"updated, as a query shows":         {BlockUpdate{UID: "b", String: ptr("**New**\ntext"), Heading: ptr(2)}, query(`[["**New**\ntext",2,true,"left",":numbered",9e15]]`), Yes},
		"all was so already":                {BlockUpdate{UID: "b", String: ptr("New text"), ViewType: ptr("numbered")}, query(`[["New text",0,true,"left",":numbered",1]]`), Unknown},
		"not deleted, as a query shows":     {Removal{Thing: Block, UID: "b"}, query(`[["b"]]`), No},
		"gone, and was there before":        {Removal{Thing: Block, UID: "b", WasThere: true}, query(`[]`), Yes},
		"gone, and may have been before":    {Removal{Thing: Block, UID: "b"}, query(`[]`), Unknown},
		"blocks that are still there":       {Removals{{Thing: Block, UID: "b"}, {Thing: Block, UID: "b"}}, query(`[["b"]]`), No},
		"moved":                             {last, map[string]string{"order": `[[0,"x"],[1,"b"]]`, "q": `[["p",9e15]]`}, Yes},
		"at the place, perhaps from before": {last, map[string]string{"order": `[[0,"x"],[1,"b"]]`, "q": `[["p",1]]`}, Unknown},
		"below its old parent":              {last, query(`[["old",1]]`), No},
		"at another place":                  {atStart("b"), map[string]string{"order": `[[0,"x"],[1,"b"]]`, "q": `[["p",1]]`}, Unknown},
		"not moved":                         {atStart("other"), map[string]string{"order": `[[0,"x"],[1,"b"]]`, "q": `[["p",1]]`}, No},
	}
}

// lostPageChanges are writes to pages and comments.
func lostPageChanges() map[string]lost {
	query := func(rows string) map[string]string { return map[string]string{"q": rows} }
	comment := func(text, edited string) string {
		return fmt.Sprintf(`{"total":1,"comments":[{"parentUid":"c","createdTime":"2026-11-01T08:00:00.000Z","editedTime":%q,"markdown":%q}]}`, edited, "- "+text+` <roam uid="x"/>`)
	}
	const since, before = "2026-11-15T12:00:00.000Z", "2026-11-15T11:59:59.999Z"
	rename, says := PageUpdate{UID: "p", Title: "New title"}, NewComment{BlockUID: "b", Text: "how fine"}
	return map[string]lost{
		"renamed":                     {rename, query(`[["New title",":bullet",9e15]]`), Yes},
		"not renamed":                 {rename, query(`[["Old title",":bullet",1]]`), No},
		"merged, it may be":           {PageUpdate{UID: "p", Title: "New title", Merge: true}, query(`[]`), Unknown},
		"commented, as a query shows": {says, map[string]string{"q": `[["x","how fine",9e15]]`, "data.ai.getComments": comment("how fine", before)}, Yes},
		"said again, but elsewhere":   {says, map[string]string{"q": `[["y","how fine",9e15]]`, "data.ai.getComments": comment("how fine", since)}, Unknown},
		"nothing was said, as a query shows": {says,
			map[string]string{"q": `[]`, "data.ai.getComments": comment("too coarse", since)}, No},
		"it was said before, as a query shows": {says,
			map[string]string{"q": `[["x","how fine",1]]`, "data.ai.getComments": comment("how fine", since)}, Unknown},
		"nothing was said in these words, as a query shows": {NewComment{BlockUID: "b", Markdown: "*how* fine"},
			map[string]string{"q": `[]`, "data.ai.getComments": comment("too coarse", since)}, Unknown},
		"comments that can't be read": {says, map[string]string{"q": `[["x","how fine",9e15]]`, "data.ai.getComments": `null`}, Unknown},
	}
}

// lostOthers are writes to shortcuts and files.
func lostOthers() map[string]lost {
	query := func(rows string) map[string]string { return map[string]string{"q": rows} }
	last, first := NewShortcut{PageUID: "p"}, NewShortcut{PageUID: "p", Index: ptr(0)}
	order := Reordering{ParentUID: "p", UIDs: []string{"b", "a"}, Before: []string{"a", "b"}}
	return map[string]lost{
		"a shortcut at the end":                     {last, query(`[[3,"p"],[0,"o"]]`), Yes},
		"a shortcut at its place":                   {first, query(`[[5,"o"],[2,"p"]]`), Yes},
		"a shortcut at another place":               {first, query(`[[3,"p"],[0,"o"]]`), Unknown},
		"no shortcut":                               {last, query(`[[0,"o"]]`), No},
		"shortcuts that can't be read":              {last, query(`[["o"]]`), Unknown},
		"the shortcut of no page":                   {ShortcutRemoval{"p"}, query(`[]`), No},
		"the shortcut is gone":                      {ShortcutRemoval{"p"}, query(`[[0,"other"]]`), Yes},
		"the shortcut is there":                     {ShortcutRemoval{"p"}, query(`[[0,"p"]]`), No},
		"reordered":                                 {order, query(`[[1,"a"],[0,"b"]]`), Yes},
		"not reordered":                             {order, query(`[[0,"a"],[1,"b"]]`), No},
		"reordered from an order that nobody knows": {Reordering{ParentUID: "p", UIDs: []string{"b", "a"}}, query(`[]`), Unknown},
		"reordered by somebody else":                {order, query(`[[0,"c"],[1,"a"],[2,"b"]]`), Unknown},
		"the file is there":                         {FileRemoval{"https://x.test/f"}, map[string]string{"file.get": `{"base64":""}`}, No},
		"a file that can't be read":                 {FileRemoval{"https://x.test/f"}, nil, Unknown},
		"an upload":                                 {FileUpload{GivenFile{Content: []byte("x")}}, nil, Unknown},
		"an extension":                              {ExtensionCall{Tool: "count"}, nil, Unknown},
	}
}

// TestSettle looks for the same writes, of which only the record is left.
func TestSettle(t *testing.T) {
	all := lostCreations()
	for _, more := range []map[string]lost{lostChanges(), lostPageChanges(), lostOthers()} {
		maps.Copy(all, more)
	}
	for name, tc := range all {
		t.Run(name, func(t *testing.T) {
			action, args := tc.write.Request()
			request, err := json.Marshal(args)
			require.NoError(t, err)
			roam, before := newFakeRoam(tc.reads), fact.State{Things: map[string]fact.Fact{}}
			switch w := tc.write.(type) {
			case Removal:
				before.Things[w.UID] = fact.Fact{UID: w.UID, Gone: !w.WasThere}
			case Reordering:
				before.Things[w.ParentUID] = fact.Fact{UID: w.ParentUID, Children: w.Before}
			}
			write, err := ParseWrite(action, request, before)
			if err != nil {
				if tc.want != Unknown {
					t.Error(err)
				}
				return
			}
			later := New(Options{Now: func() time.Time { return noon().Add(time.Minute) }, LookTimeout: time.Minute}).On(localapi.Graph{Name: "work"}, roam)
			got := later.Settle(t.Context(), write, noon().UnixMilli())
			if got.Applied != tc.want || got.Evidence == "" || len(roam.sent) != 0 {
				t.Errorf("got %+v, want %v; sent %v", got, tc.want, roam.sent)
			}
			makes := write.Capture().Class.Makes()
			if got.Applied == Yes && !makes && got.Reply == nil || got.Applied != Yes && got.Reply != nil {
				t.Errorf("the reply is %s", got.Reply)
			}
		})
	}
}

func TestSettle_looksAgainForWhatMayBeOnItsWay(t *testing.T) {
	for ago, want := range map[time.Duration]int{time.Second: 2, time.Minute: 1} {
		roam := newFakeRoam(map[string]string{"q": `[]`})
		roam.on(nil).Settle(t.Context(), NewBlock{UID: "n"}, noon().Add(-ago).UnixMilli())
		if len(roam.asked) != want {
			t.Errorf("%v after it was sent: %d looks, want %d", ago, len(roam.asked), want)
		}
	}
}

// TestWrite_looksForOneWhoseReplyWasLost looks for them at once: what is not there may
// still come.
func TestWrite_looksForOneWhoseReplyWasLost(t *testing.T) {
	all := lostCreations()
	for _, more := range []map[string]lost{lostChanges(), lostPageChanges(), lostOthers()} {
		maps.Copy(all, more)
	}
	for name, tc := range all {
		t.Run(name, func(t *testing.T) {
			if tc.want == No {
				tc.want = Unknown
			}
			roam, kept := newFakeRoam(tc.reads), &journal{}
			action, _ := tc.write.Request()
			roam.answers[action] = lostReply
			reply, err := roam.on(kept).write(t.Context(), tc.write)
			if err == nil {
				if ended := kept.ended[0]; tc.want != Yes || !strings.Contains(string(reply), `"recovered":true`) || ended.Applied != Yes || ended.Evidence == "" || ended.Err != nil {
					t.Errorf("got %s, recorded %+v", reply, ended)
				}
				return
			}
			told, ok := problem.As(err)
			if !ok || told.Code != CodeOutcomeUnknown {
				t.Fatalf("got %v", err)
			}
			evidence, _ := told.Detail(DetailEvidence).(string)
			if told.Detail(DetailApplied) != tc.want || evidence == "" || told.Hint.IsZero() {
				t.Errorf("applied is %v, want %v: %s", told.Detail(DetailApplied), tc.want, evidence)
			}
			if told.Retry != problem.RetryNever {
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
