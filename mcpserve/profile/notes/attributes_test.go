package notes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/race"
)

// userLines are lines as users have them on their pages. Those that a field of the note
// says are in heldByFields.
func userLines() []string {
	return []string{
		"Color:: of the walls", "Color:: red", "Color:: Red", "Color:: [[red]]", "Color::", "color:: blue", "Color:: red and blue",
		"Size:: 42", "Size:: medium", "Size:: XL", "Pinned:: yes I did", "Pinned:: true", "Pinned:: false", "Archived:: in the cellar", "Archived:: false",
		"Reminder:: call mum", "Reminder:: [[January 20th, 2024]] 14:00", "Reminder:: 2024-01-20T14:00:00Z", "Reminder:: [[January 20th, 2024]] at noon",
		"Reminder done:: nearly", "Reminder repeats:: every full moon", "Reminder place:: under the bridge", "Note type:: essay", "Note type:: text",
		"Tags:: see the other page about [[x]]", "Tags:: #a #[[b c]]", "Tags:: #a, and `#code`", "Tags:: one, two", "Tags::", "tags:: [an alias]([[y]])",
		"Tags:: {{[[TODO]]}} sort these", "Tags:: #a\nand a second line", "Author:: [[Ann]]", "{{[[TODO]]}} Color:: it", "a Color:: within",
	}
}

// tables are the values that the lines of this profile have, by the name of the line.
func tables() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"tags":      regexp.MustCompile(`^(?i:tags)::( #[a-z]+| #?\[\[[^][]+\]\])+$|^Tags:: one, two$`),
		"color":     regexp.MustCompile(`^(?i:color):: (default|red|orange|yellow|green|teal|blue|purple|pink|gray)$`),
		"pinned":    regexp.MustCompile(`^(?i:pinned):: (true|false)$`),
		"archived":  regexp.MustCompile(`^(?i:archived):: (true|false)$`),
		"note type": regexp.MustCompile(`^(?i:note type):: (text|checklist)$`),
		"reminder":  regexp.MustCompile(`^(?i:reminder):: (\[\[January 20th, 2024\]\] 14:00|2024-01-20T14:00:00Z)$`),
		"size":      regexp.MustCompile(`^(?i:size):: (small|medium|large)$`),
	}
}

// nameOf returns the name of the line that holds a value of this profile, empty for others.
func nameOf(text string) string {
	for name, table := range tables() {
		if table.MatchString(text) {
			return name
		}
	}
	return ""
}

// fields are those that say the lines of a name, and how they say some of userLines.
func fields() map[string][2]string {
	return map[string][2]string{
		"Color:: red": {"color", `"red"`}, "Color:: blue": {"color", `"blue"`}, "color:: blue": {"color", `"blue"`}, "Size:: medium": {"size", `"medium"`}, "Pinned:: true": {"isPinned", "true"},
		"Pinned:: false": {"isPinned", "false"}, "Archived:: false": {"isArchived", "false"}, "Note type:: text": {"type", `"text"`},
		"Reminder:: [[January 20th, 2024]] 14:00": {"reminder", `"2024-01-20T14:00:00.000Z"`}, "Reminder:: 2024-01-20T14:00:00Z": {"reminder", `"2024-01-20T14:00:00.000Z"`},
		"Tags:: #a #[[b c]]": {"labels", `["a","b c"`}, "Tags:: one, two": {"labels", `["one","two"`},
	}
}

// attributesExport is a graph of 60 notes with lines of their users: alone, twice, with
// blocks below that are shown or hidden, and further in.
func attributesExport() string {
	type block map[string]any
	uids := 0
	of := func(text string, below ...block) block {
		uids++
		return block{"string": text, "uid": fmt.Sprintf("user%05d", uids), "children": below, "create-time": 1705276800000, "edit-time": 1705276800000}
	}
	word := func() block { return of(fmt.Sprintf("word%d of the user", uids)) }
	var pages []block
	lines := userLines()
	for i := range 60 {
		line, other := lines[i%len(lines)], lines[(i*11+5)%len(lines)]
		var below []block
		switch i % 6 {
		case 0:
			below = []block{of(line), word(), of(other)}
		case 1:
			below = []block{word(), of(line, word(), of("Color:: blue", word())), of(other, word())}
		case 2:
			below = []block{of(line), of(line, word()), word(), of(other), of(line)}
		case 3:
			below = []block{of(line, of("hidden #.rm-hide", word())), word(), of("Color:: green #.rm-private", word())}
		case 4:
			below = []block{of("outer", of(line, word()), of(other)), of("Color:: red", of("{{[[TODO]]}} "+line))}
		case 5:
			below = []block{of("{{[[TODO]]}} a task"), of(line), of("{{[[DONE]]}} another"), of(other), of("Archived::", word())}
		}
		pages = append(pages, block{"title": fmt.Sprintf("Note %02d", i), "uid": fmt.Sprintf("page%05d", i), "children": below, "create-time": 1705276800000, "edit-time": 1705276800000})
	}
	text, _ := json.Marshal(pages)
	return string(text)
}

// stored is a block as Roam has it.
type stored struct {
	uid, text, parent string
	order             int
}

// exported are all blocks of a graph, by uid, and those below a block or page, in order.
type exported struct {
	blocks map[string]stored
	below  map[string][]stored
}

// export returns all blocks of the graph.
func export(w *profiletest.World) exported {
	var rows [][]any
	w.Query(&rows, `[:find ?u ?s ?p ?o :where [?b :block/string ?s] [?b :block/uid ?u] [?b :block/order ?o] [?q :block/children ?b] [?q :block/uid ?p]]`)
	all := exported{map[string]stored{}, map[string][]stored{}}
	for _, row := range rows {
		b := stored{row[0].(string), row[1].(string), row[2].(string), int(row[3].(float64))}
		all.blocks[b.uid], all.below[b.parent] = b, append(all.below[b.parent], b)
	}
	for _, below := range all.below {
		slices.SortFunc(below, func(a, b stored) int { return a.order - b.order })
	}
	return all
}

// holder returns the uid of the block that holds the value of a line's name on a page, the
// first that does; empty where none does.
func holder(all exported, page, name string) string {
	for _, b := range all.below[page] {
		if nameOf(b.text) == name {
			return b.uid
		}
	}
	return ""
}

var words = regexp.MustCompile(`[\pL\pN]+`)

// checkShown checks that every word of a page's visible blocks is in what get_note shows,
// or in a field that says the whole line.
func checkShown(t *testing.T, all exported, page string, reply profiletest.Result) (content []stored) {
	t.Helper()
	var told map[string]json.RawMessage
	reply.Decode(t, &told)
	var note shown
	reply.Decode(t, &note)
	text := note.Content
	for _, each := range note.CheckItems {
		text += "\n" + each.Text
	}
	var walk func(parent string)
	walk = func(parent string) {
		for _, b := range all.below[parent] {
			if strings.Contains(b.text, "#.rm-") {
				if strings.Contains(text, b.text) {
					t.Errorf("%s shows %q", page, b.text)
				}
				continue
			}
			walk(b.uid)
			said, field := fields()[b.text]
			visible := slices.DeleteFunc(slices.Clone(all.below[b.uid]), func(b stored) bool { return strings.Contains(b.text, "#.rm-") })
			if field && b.parent == page && holder(all, page, nameOf(b.text)) == b.uid && len(visible) == 0 {
				if !strings.HasPrefix(string(told[said[0]]), said[1]) {
					t.Errorf("%s has %q, and its field %s is %s", page, b.text, said[0], told[said[0]])
				}
				continue
			}
			content = append(content, b)
			for _, word := range words.FindAllString(strings.NewReplacer("{{[[TODO]]}} ", "", "{{[[DONE]]}} ", "").Replace(b.text), -1) {
				if !strings.Contains(text, word) {
					t.Errorf("%s has %q, which is neither in its content nor in a field: %s", page, word, reply)
				}
			}
		}
	}
	walk(page)
	return content
}

// checkUnchanged checks that a change of one page has changed, taken away or added the line
// of a name at most; an empty name is none.
func checkUnchanged(t *testing.T, did, page, name string, before, after exported) {
	t.Helper()
	line := ""
	if name != "" {
		if line = holder(before, page, name); line == "" {
			for _, b := range slices.Backward(before.below[page]) {
				if strings.EqualFold(b.text, name+"::") {
					line = b.uid // which waits for a value
				}
			}
		}
	}
	for uid, was := range before.blocks {
		switch is, there := after.blocks[uid]; {
		case !there && (uid != line || len(before.below[uid]) > 0):
			t.Errorf("%s took %q away from %s", did, was.text, page)
		case there && is.text != was.text && uid != line:
			t.Errorf("%s made %q of %q on %s", did, is.text, was.text, page)
		case there && is.parent != was.parent:
			t.Errorf("%s moved %q on %s", did, was.text, page)
		}
	}
	for uid, is := range after.blocks {
		if _, there := before.blocks[uid]; !there && (line != "" && after.blocks[line].uid != "" || is.parent != page || !strings.HasPrefix(strings.ToLower(is.text), name+":: ")) {
			t.Errorf("%s added %q on %s", did, is.text, page)
		}
	}
	stay := func(all, other exported, parent string) (uids []string) {
		for _, b := range all.below[parent] {
			if _, there := other.blocks[b.uid]; there {
				uids = append(uids, b.uid)
			}
		}
		return uids
	}
	for parent := range before.below {
		if !slices.Equal(stay(before, after, parent), stay(after, before, parent)) {
			t.Errorf("%s put what is on %s into another order", did, page)
		}
	}
}

func TestNoWordOfAnAttributeIsLost(t *testing.T) {
	w, c := connect(t, profiletest.Options{Export: attributesExport()})
	pages := map[string]bool{}
	for _, b := range export(w).blocks {
		if strings.HasPrefix(b.parent, "page") {
			pages[b.parent] = true
		}
	}
	if len(pages) != 60 {
		t.Fatalf("there are %d notes", len(pages))
	}
	for i, page := range slices.Sorted(maps.Keys(pages)) {
		if race.Enabled && i%10 != 0 {
			continue
		}
		before := export(w)
		found := false
		for _, b := range checkShown(t, before, page, c.Call("get_note", `{"id":"`+page+`"}`)) {
			if found || strings.HasPrefix(b.text, "{{") || strings.ContainsAny(b.text, "\n`") || words.FindString(b.text) == "Archived" {
				continue // is shown otherwise
			}
			found = true
			query, _ := json.Marshal(b.text)
			if r := c.Call("get_notes", `{"includeArchived":true,"search":`+string(query)+`}`); !strings.Contains(r.Text(), page) {
				t.Errorf("%s is not found by %q", page, b.text)
			}
		}
		if !found {
			t.Errorf("nothing of %s is content", page)
		}
		for _, change := range [][3]string{
			{"", "update_note", `"title":"Renamed ` + page + `"`}, {"color", "update_note", `"color":"teal"`}, {"color", "update_note", `"color":"default"`},
			{"pinned", "update_note", `"isPinned":true`}, {"pinned", "update_note", `"isPinned":false`}, {"archived", "toggle_archive", ""}, {"archived", "toggle_archive", ""},
			{"tags", "update_note", `"labels":["new","one"]`}, {"tags", "update_note", `"labels":[]`}, {"tags", "update_note", `"labels":["later"]`},
		} {
			arguments := strings.TrimSuffix(`{"id":"`+page+`",`+change[2], ",") + "}"
			r := c.Call(change[1], arguments)
			if r.RPC != nil || r.IsError {
				t.Fatalf("%s %s: %s", change[1], arguments, r)
			}
			after := export(w)
			checkUnchanged(t, change[1]+" "+arguments, page, change[0], before, after)
			before = after
		}
		var now shown
		c.Call("get_note", `{"id":"`+page+`"}`).Decode(t, &now)
		content, _ := json.Marshal(now.Content)
		if r := c.Call("update_note", `{"id":"`+page+`","content":`+string(content)+`}`); r.RPC != nil {
			t.Error(r)
		}
		checkUnchanged(t, "sending the content back", page, "", before, export(w))
		if t.Failed() {
			return
		}
	}
}

func TestCreateNoteKeepsAllOfItsContent(t *testing.T) {
	w, c := connect(t, profiletest.Options{})
	for name, tc := range map[string]struct {
		arguments, want string // want is part of the answer
		blocks          []string
	}{
		"a line of tags adds to the labels":         {`"labels":["b"],"content":"Tags:: #a\n\none"`, `{"labels":["b","a"],"content":"one","...":"..."}`, []string{"Tags:: #b #a", "one"}},
		"a line of tags alone is kept as it is":     {`"content":"one\n\nTags:: #a, c"`, `{"labels":["a","c"],"content":"one","...":"..."}`, []string{"one", "Tags:: #a, c"}},
		"what stands below it stays there":          {`"labels":["b"],"content":"- Tags:: #a\n  - why\n- one"`, `{"labels":["b","a"],"content":"- Tags:: #b #a\n  - why\n- one","...":"..."}`, []string{"Tags:: #b #a", "one"}},
		"no labels leave it":                        {`"labels":[],"content":"- Tags:: #a\n  - why"`, `{"labels":["a"],"content":"- Tags:: #a\n  - why","...":"..."}`, []string{"Tags:: #a"}},
		"a sentence about tags is content":          {`"labels":["b"],"content":"Tags:: see [[x]]"`, `{"labels":["b"],"content":"Tags:: see [[x]]","...":"..."}`, []string{"Tags:: #b", "Tags:: see [[x]]"}},
		"a color of the content is that":            {`"content":"Color:: blue\n\none"`, `{"color":"blue","content":"one","...":"..."}`, []string{"Color:: blue", "one"}},
		"a color that is given leaves it a content": {`"color":"red","isArchived":false,"content":"Color:: blue\n\nColor:: of the walls"`, `{"color":"red","content":"Color:: blue\n\nColor:: of the walls","...":"..."}`, []string{"Color:: red", "Color:: blue", "Color:: of the walls"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.Call("create_note", `{"title":"`+name+`",`+tc.arguments+`}`)
			if err := profiletest.Match(tc.want, r.Text()); err != nil {
				t.Errorf("%v: %s", err, r)
			}
			blocks(t, w, w.PageUID(name), tc.blocks...)
		})
	}
}
