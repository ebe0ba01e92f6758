package ops

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/testutil/require"
)

// randomly makes values for writes.
type randomly struct{ *rand.Rand }

func (r randomly) text() string {
	texts := []string{"", " ", "a", "b b", "[[c]] #d ((e))", "f\ng", `"`, "é\u2028\x00", "\xff", "first", "last", "daily-note-page", "01-02-2026"}
	return texts[r.IntN(len(texts))]
}

func (r randomly) texts() []string {
	list := make([]string, r.IntN(4))
	for i := range list {
		list[i] = r.text()
	}
	return list
}

func (r randomly) textOrNot() *string { return orNot(r, r.text()) }

func orNot[T any](r randomly, value T) *T {
	if r.IntN(2) == 0 {
		return nil
	}
	return &value
}

func (r randomly) order() Order {
	return Order{First: r.IntN(2) == 0, Index: orNot(r, r.IntN(5)-1)}
}

func (r randomly) update() BlockUpdate {
	return BlockUpdate{UID: r.text(), String: r.textOrNot(), Heading: orNot(r, r.IntN(4)), Open: orNot(r, r.IntN(2) == 0), ViewType: r.textOrNot(), TextAlign: r.textOrNot(), BlockView: r.textOrNot(), Props: orNot(r, Props(`{":a":1}`))}
}

// kinds returns a random write of each kind that can be looked for.
func (r randomly) kinds() []Write {
	location := Location{ParentUID: r.text(), PageTitle: r.text(), Day: r.text(), NestUnder: r.text(), Order: r.order()}
	block := outline.Block{String: r.text(), Heading: r.IntN(4), Collapsed: r.IntN(2) == 0, TextAlign: r.text(), ChildrenViewType: r.text(), BlockViewType: r.text()}
	updates := make(BlockUpdates, r.IntN(3))
	for i := range updates {
		updates[i] = r.update()
	}
	removals := make(Removals, r.IntN(3))
	for i := range removals {
		removals[i] = Removal{Thing: Block, UID: r.text()}
	}
	creations := make(BlockCreations, r.IntN(3))
	for i := range creations {
		creations[i] = NewBlock{UID: r.text(), ParentUID: r.text(), Order: r.order(), Block: block}
	}
	return []Write{
		NewBlock{UID: r.text(), ParentUID: r.text(), Order: r.order(), Block: block},
		creations,
		NewBlocks{Location: location, Markdown: r.text(), Open: orNot(r, r.IntN(2) == 0)},
		NewPage{Title: r.text(), UID: r.text(), ViewType: r.text(), Markdown: r.text()},
		NewComment{BlockUID: r.text(), Text: r.text(), Markdown: r.text()},
		r.update(),
		updates,
		PageUpdate{UID: r.text(), Title: r.text(), ViewType: r.text(), Merge: r.IntN(2) == 0},
		BlockMove{UID: r.text(), ParentUID: r.text(), Order: r.order()},
		Reordering{ParentUID: r.text(), UIDs: r.texts(), Before: r.texts()},
		Removal{Thing: Block, UID: r.text()},
		Removal{Thing: Page, UID: r.text()},
		removals,
		NewShortcut{PageUID: r.text(), Index: orNot(r, r.IntN(3))},
		ShortcutRemoval{PageUID: r.text()},
		FileRemoval{Address: r.text()},
	}
}

func TestParseWrite(t *testing.T) {
	t.Run("reads every kind of write back from its request", func(t *testing.T) {
		r := randomly{rand.New(rand.NewPCG(12, 3))}
		for range 300 {
			for _, want := range r.kinds() {
				action, args := want.Request()
				request, err := json.Marshal(args)
				require.NoError(t, err)
				got, err := ParseWrite(action, request, fact.State{})
				if err != nil || reflect.TypeOf(got) != reflect.TypeOf(want) {
					t.Fatalf("%#v is read as %#v, %v", want, got, err)
				}
				if again, args := got.Request(); again != action || !sameJSON(request, args) {
					t.Fatalf("%s %s is read as %s %v", action, request, again, args)
				}
			}
		}
	})
	before := fact.State{Things: map[string]fact.Fact{"b": {UID: "b", Text: "x", Children: []string{"d", "c"}}, "gone": {UID: "gone", Gone: true}}}
	for name, tc := range map[string]struct {
		write, want Write
	}{
		"knows of a deletion whether there was what went": {Removals{{Thing: Block, UID: "b"}, {Thing: Block, UID: "gone"}, {Thing: Block, UID: "unread"}},
			Removals{{Thing: Block, UID: "b", WasThere: true}, {Thing: Block, UID: "gone"}, {Thing: Block, UID: "unread"}}},
		"knows the order before":              {Reordering{ParentUID: "b", UIDs: []string{"c", "d"}}, Reordering{"b", []string{"c", "d"}, []string{"d", "c"}}},
		"knows no order that nobody has read": {Reordering{ParentUID: "unread", UIDs: []string{"c", "d"}}, Reordering{"unread", []string{"c", "d"}, nil}},
	} {
		t.Run(name, func(t *testing.T) {
			action, args := tc.write.Request()
			request, err := json.Marshal(args)
			require.NoError(t, err)
			if got, err := ParseWrite(action, request, before); err != nil || !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %#v, %v", got, err)
			}
		})
	}
	upload, extension := FileUpload{GivenFile{Content: []byte("x")}}, ExtensionCall{Tool: "count"}
	for name, write := range map[string]Write{"refuses an upload": upload, "refuses a call of an extension": extension} {
		t.Run(name, func(t *testing.T) {
			action, args := write.Request()
			request, err := json.Marshal(args)
			require.NoError(t, err)
			if got, err := ParseWrite(action, request, before); err == nil {
				t.Errorf("got %#v", got)
			}
		})
	}
	for name, tc := range map[string]struct{ action, request string }{
		"refuses what is not JSON":                    {"data.block.delete", `{`},
		"refuses what is no list":                     {"data.block.delete", `{"block":{"uid":"b"}}`},
		"refuses a list of nothing":                   {"data.block.delete", `[]`},
		"refuses a list of too much":                  {"data.block.delete", `[{"block":{"uid":"b"}},1]`},
		"refuses a key that it does not know":         {"data.block.delete", `[{"block":{"uid":"b","with":"c"}}]`},
		"refuses a key in other letters":              {"data.block.delete", `[{"block":{"UID":"b"}}]`},
		"refuses a step that creates no block":        {"batchActions", `[{"actions":[{"action":"delete-block","location":{"parent-uid":"p","order":0},"block":{"uid":"b","string":""}}]}]`},
		"refuses a place that is none":                {"data.block.move", `[{"block":{"uid":"b"},"location":{"parent-uid":"p","order":"middle"}}]`},
		"refuses a page that is neither text nor day": {"data.block.fromMarkdown", `[{"location":{"page-title":[],"order":"last"},"markdown-string":"x"}]`},
		"refuses a shortcut of an object":             {"data.page.addShortcut", `[{}]`},
		"refuses a place of a shortcut that is none":  {"data.page.addShortcut", `["p","x"]`},
		"refuses an action that is no shortcut":       {"data.page.moveShortcut", `["p"]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := ParseWrite(tc.action, []byte(tc.request), before); err == nil {
				t.Errorf("got %#v", got)
			}
		})
	}
}

func FuzzParseWrite(f *testing.F) {
	r := randomly{rand.New(rand.NewPCG(1, 2))}
	for _, write := range slices.Concat(r.kinds(), r.kinds()) {
		action, args := write.Request()
		request, err := json.Marshal(args)
		require.NoError(f, err)
		f.Add(action, request)
	}
	f.Fuzz(func(t *testing.T, action string, request []byte) {
		write, err := ParseWrite(action, request, fact.State{})
		if err != nil {
			return
		}
		if again, args := write.Request(); again != action || !sameJSON(request, args) {
			t.Errorf("%s %s is read as %s %v", action, request, again, args)
		}
	})
}
