package notes

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
)

// pageOf returns a page with these blocks. Their uids are b0, b1 and so on.
func pageOf(title string, blocks ...outline.Block) note.Node {
	for i := range blocks {
		blocks[i].UID = fmt.Sprintf("b%d", i)
	}
	n := note.Node{UID: "page", Title: title, Shortcut: -1, Created: 1000, Edited: 2000, Children: nodesOf(blocks)}
	return n
}

// lines returns blocks of texts.
func lines(texts ...string) []outline.Block {
	blocks := make([]outline.Block, len(texts))
	for i, text := range texts {
		blocks[i].String = text
	}
	return blocks
}

func under(text string, below ...string) outline.Block {
	return outline.Block{String: text, Children: lines(below...)}
}

// quickOf returns the block of a quick note.
func quickOf(text string, below ...string) note.Node {
	n := pageOf("", lines(below...)...)
	n.UID, n.Text = "quick", text
	return n
}

func TestWhatANoteIs(t *testing.T) {
	const daily = "January 15th, 2024"
	for name, tc := range map[string]struct {
		node note.Node
		want map[string]any // fields of the long form
	}{
		"a page of text is a text note":             {pageOf("A", lines("one", "two")...), map[string]any{"title": "A", "type": "text", "content": "one\n\ntwo", "checkItems": nil}},
		"a page of tasks is a checklist":            {pageOf("A", lines("{{[[TODO]]}} a", "{{DONE}} b")...), map[string]any{"type": "checklist", "content": "", "checkItems": []item{{"b0", "a", false}, {"b1", "b", true}}}},
		"a task with blocks below makes it a text":  {pageOf("A", under("{{[[TODO]]}} a", "detail")), map[string]any{"type": "text", "checkItems": nil, "content": "- [ ] a\n  - detail"}},
		"a text among tasks makes it a text":        {pageOf("A", lines("{{[[TODO]]}} a", "b")...), map[string]any{"type": "text", "checkItems": nil}},
		"a line says that it is a checklist":        {pageOf("A", lines("Note type:: checklist", "intro", "{{[[TODO]]}} a")...), map[string]any{"type": "checklist", "content": "intro", "checkItems": []item{{"b2", "a", false}}}},
		"an empty checklist has no items":           {pageOf("A", lines("note type:: checklist")...), map[string]any{"type": "checklist", "content": "", "checkItems": []item{}}},
		"a line says that it is a text":             {pageOf("A", lines("Note type:: text", "{{[[TODO]]}} a")...), map[string]any{"type": "text", "checkItems": nil, "content": "[ ] a"}},
		"labels are tags, declared ones first":      {pageOf("A", lines("see #inline", "Tags:: #work, [[to do]]")...), map[string]any{"labels": []string{"work", "to do", "inline"}, "content": "see #inline"}},
		"without tags labels are null":              {pageOf("A", lines("x")...), map[string]any{"labels": nil}},
		"a color is a line":                         {pageOf("A", lines("color:: blue", "x")...), map[string]any{"color": "blue", "content": "x"}},
		"a color that a note can't have is content": {pageOf("A", lines("Color:: of the walls", "Color:: [[teal]]", "Color:: Red", "Color::")...), map[string]any{"color": "default", "content": "Color:: of the walls\n\nColor:: [[teal]]\n\nColor:: Red\n\nColor::"}},
		"a second line of a name is content":        {pageOf("A", lines("Color:: mauve", "Color:: red", "Color:: blue")...), map[string]any{"color": "red", "content": "Color:: mauve\n\nColor:: blue"}},
		"a line with blocks below is content":       {pageOf("A", under("Color:: red", "why", "Color:: blue")), map[string]any{"color": "red", "content": "- Color:: red\n  - why\n  - Color:: blue"}},
		"a line with hidden blocks below is none":   {pageOf("A", under("Color:: red", "why #.rm-hide"), outline.Block{String: "x"}), map[string]any{"color": "red", "content": "x"}},
		"a sentence about tags is content":          {pageOf("A", lines("Tags:: see #a", "Tags:: #b", "Tags:: #c")...), map[string]any{"labels": []string{"b", "c", "a"}, "content": "Tags:: see #a\n\nTags:: #c"}},
		"other values are content":                  {pageOf("A", lines("Pinned:: yes", "Archived:: 1", "Size:: 42", "Note type:: essay", "Reminder done:: soon")...), map[string]any{"isPinned": false, "isArchived": false, "size": "small", "type": "text", "isReminderDone": false, "content": "Pinned:: yes\n\nArchived:: 1\n\nSize:: 42\n\nNote type:: essay\n\nReminder done:: soon"}},
		"lines of properties are no items":          {pageOf("A", append([]outline.Block{under("Color:: red", "why")}, lines("{{[[TODO]]}} a", "Size::", "Reminder place:: home")...)...), map[string]any{"type": "checklist", "content": "- Color:: red\n  - why\n- Size::\n- Reminder place:: home"}},
		"a line of the user makes it a text":        {pageOf("A", lines("{{[[TODO]]}} a", "Size:: 42")...), map[string]any{"type": "text", "content": "[ ] a\n\nSize:: 42"}},
		"a pin and the archive are lines":           {pageOf("A", lines("Pinned:: true", "archived:: true")...), map[string]any{"isPinned": true, "isArchived": true, "order": 0}},
		"what says false is neither":                {pageOf("A", lines("Pinned:: false", "Archived::")...), map[string]any{"isPinned": false, "isArchived": false}},
		"other properties are content":              {pageOf("A", lines("Author:: Ada")...), map[string]any{"content": "Author:: Ada"}},
		"a property further down is content":        {pageOf("A", under("x", "Color:: blue")), map[string]any{"color": "default", "content": "- x\n  - Color:: blue"}},
		"images at the end are no content":          {pageOf("A", lines("x ![](https://a.b/1.png)", "![](https://a.b/2.png)")...), map[string]any{"content": "x ![](https://a.b/1.png)", "images": []string{"https://a.b/1.png", "https://a.b/2.png"}}},
		"an image in the midst is content":          {pageOf("A", lines("![](https://a.b/1.png)", "x")...), map[string]any{"content": "![](https://a.b/1.png)\n\nx", "images": []string{"https://a.b/1.png"}}},
		"a checklist may have images":               {pageOf("A", lines("{{[[TODO]]}} a", "![](https://a.b/1.png)")...), map[string]any{"type": "checklist", "content": "", "images": []string{"https://a.b/1.png"}}},
		"a reminder is a day and a time":            {pageOf("A", lines("Reminder:: [[January 20th, 2024]] 14:00", "Reminder done:: true", "Reminder repeats:: weekly", "Reminder place:: home")...), map[string]any{"reminder": "2024-01-20T13:00:00.000Z", "isReminderDone": true, "reminderRecurrence": "weekly", "reminderLocation": "home", "content": "Reminder repeats:: weekly\n\nReminder place:: home"}},
		"a reminder may be a day alone":             {pageOf("A", lines("Reminder:: [[January 20th, 2024]]")...), map[string]any{"reminder": "2024-01-19T23:00:00.000Z"}},
		"a reminder may have am and pm":             {pageOf("A", lines("Reminder:: [[January 20th, 2024]] 2:30 PM")...), map[string]any{"reminder": "2024-01-20T13:30:00.000Z"}},
		"a reminder may be in ISO 8601":             {pageOf("A", lines("Reminder:: 2024-01-20T14:00")...), map[string]any{"reminder": "2024-01-20T13:00:00.000Z"}},
		"a reminder that is no time is none":        {pageOf("A", lines("Reminder:: soon")...), map[string]any{"reminder": nil, "isReminderDone": false, "content": "Reminder:: soon"}},
		"a size is a line":                          {pageOf("A", lines("Size:: large")...), map[string]any{"size": "large", "isMarkdown": true, "embedding": nil, "userId": nil}},
		"hidden blocks are nowhere":                 {pageOf("A", lines("x", "secret #tag #.rm-private ![](https://a.b/1.png)", "Color:: blue #.rm-hide")...), map[string]any{"content": "x", "labels": nil, "images": nil, "color": "default"}},
		"quick notes are no part of their day":      {pageOf(daily, lines("x #a", "[[Notes]]")[0], under("[[Notes]]", "quick #b")), map[string]any{"title": daily, "content": "x #a", "labels": []string{"a"}}},
		"a block [[Notes]] elsewhere is content":    {pageOf("A", under("[[Notes]]", "x")), map[string]any{"content": "- [[Notes]]\n  - x"}},
		"a quick note has no title":                 {quickOf("call #bank", "Tags:: #phone", "tomorrow"), map[string]any{"id": "quick", "title": nil, "content": "call #bank\ntomorrow", "labels": []string{"phone", "bank"}, "order": 0}},
		"a quick note of several lines is a list":   {quickOf("a\nb", "c"), map[string]any{"content": "- a\n  b\n  - c"}},
		"a quick note may be a checklist":           {quickOf("Trip", "{{[[TODO]]}} pack"), map[string]any{"type": "checklist", "content": "Trip", "checkItems": []item{{"b0", "pack", false}}}},
		"times are in UTC":                          {pageOf("A", lines("x")...), map[string]any{"createdAt": "1970-01-01T00:00:01.000Z", "updatedAt": "1970-01-01T00:00:02.000Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEntry(tc.node, time.FixedZone("CET", 3600))
			if !e.exists() {
				t.Fatal("it is no note")
			}
			got := rawjson.Parse(e.long(e.content()))
			for field, want := range tc.want {
				if string(got.Get(field)) != string(rawjson.Encode(want)) {
					t.Errorf("%s is %s, not %s", field, got.Get(field), rawjson.Encode(want))
				}
			}
		})
	}
}

func TestWhatIsNoNote(t *testing.T) {
	for name, node := range map[string]note.Node{
		"a page without blocks":                 pageOf("A"),
		"a page whose blocks are hidden":        pageOf("A", lines("x #.rm-private")...),
		"a page of Roam's own":                  pageOf("roam/css", lines("x")...),
		"a daily note that has quick notes":     pageOf("January 15th, 2024", under("[[Notes]]", "x")),
		"a quick note without a text":           quickOf(""),
		"a quick note that became a page":       quickOf("[[Bank]]"),
		"a quick note that is hidden":           {Text: "x #.rm-hide", Hidden: true},
		"a quick note whose title has brackets": quickOf("[[Bank [[of]] Ada]]"),
	} {
		t.Run(name, func(t *testing.T) {
			if e := newEntry(node, time.UTC); e.exists() {
				t.Errorf("it is %s", e.long(e.content()))
			}
		})
	}
}

func TestEachToolSendsItsOwnFields(t *testing.T) {
	e := newEntry(pageOf("A", lines("x")...), time.UTC)
	for name, tc := range map[string]struct {
		form []byte
		want []string
	}{
		"what was written, and searches": {e.short(e.content()), shortKeys()},
		"the list":                       {e.listed(e.content()), append(shortKeys(), "order")},
		"one note": {e.long(e.content()), append(shortKeys(), "order", "reminder", "isReminderDone", "reminderRecurrence", "reminderLocation",
			"isMarkdown", "size", "embedding", "userId")},
	} {
		t.Run(name, func(t *testing.T) {
			got, want := map[string]bool{}, map[string]bool{}
			for _, m := range rawjson.Parse(tc.form) {
				got[m.Key] = true
			}
			for _, key := range tc.want {
				want[key] = true
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %s", tc.form)
			}
		})
	}
}

func shortKeys() []string {
	return []string{"id", "title", "content", "color", "type", "checkItems", "labels", "images", "isPinned", "isArchived", "createdAt", "updatedAt"}
}
