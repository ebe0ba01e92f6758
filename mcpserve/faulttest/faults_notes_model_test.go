package faulttest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/testutil/require"
)

// stored is a page or block as the graph holds it.
type stored struct {
	title, text, parent string // title of a page; text and the parent's uid of a block
	order               int
	shortcut            bool
}

// graphNow is all that the graph holds, by uid.
type graphNow map[string]stored

func (w *faultyWorld) graphNow() graphNow {
	g := graphNow{}
	rows := func(query string) (rows [][]any) {
		require.NoError(w.t, json.Unmarshal(w.direct("q", query), &rows))
		return rows
	}
	for _, row := range rows(`[:find ?u ?s ?p ?o :where [?e :block/string ?s] [?e :block/uid ?u] [?c :block/children ?e] [?c :block/uid ?p] [?e :block/order ?o]]`) {
		g[row[0].(string)] = stored{text: row[1].(string), parent: row[2].(string), order: int(row[3].(float64))}
	}
	for _, row := range rows(`[:find ?u ?t :where [?e :node/title ?t] [?e :block/uid ?u]]`) {
		g[row[0].(string)] = stored{title: row[1].(string)}
	}
	for _, row := range rows(`[:find ?u :where [?e :page/sidebar] [?e :block/uid ?u]]`) {
		page := g[row[0].(string)]
		page.shortcut = true
		g[row[0].(string)] = page
	}
	return g
}

// children returns the uids directly below a page or block, in their order.
func (g graphNow) children(uid string) []string {
	var below []string
	for each, s := range g {
		if s.parent == uid {
			below = append(below, each)
		}
	}
	slices.SortFunc(below, func(a, b string) int { return cmp.Compare(g[a].order, g[b].order) })
	return below
}

// tree returns a page or block and all that is below it.
func (g graphNow) tree(uid string) []string {
	all := []string{uid}
	for _, child := range g.children(uid) {
		all = append(all, g.tree(child)...)
	}
	return all
}

// lines returns the texts below a page or block, indented.
func (g graphNow) lines(uid, indent string) []string {
	var lines []string
	for _, child := range g.children(uid) {
		lines = append(append(lines, indent+g[child].text), g.lines(child, indent+"  ")...)
	}
	return lines
}

// titled returns the uid of the page with a title; empty where there is none.
func (g graphNow) titled(title string) string {
	for uid, s := range g {
		if s.title == title && s.parent == "" {
			return uid
		}
	}
	return ""
}

// noteNow is what a page or block says as a note.
type noteNow struct {
	there      bool
	title, top string            // top: the text of a quick note
	properties map[string]string // by name, the lines of labels, color and archive
	pinned     bool
	content    []string // lines, as the next two
	items      []string
	images     []string
}

func (g graphNow) note(uid string) noteNow {
	s, there := g[uid]
	n := noteNow{there: there, title: s.title, top: s.text, properties: map[string]string{}, pinned: s.shortcut}
	for _, child := range g.children(uid) {
		text, below := g[child].text, g.lines(child, "  ")
		name, value, _ := strings.Cut(text, ":: ")
		switch {
		case name == "Pinned" && value == "true":
			n.pinned = true
		case slices.Contains([]string{"Title", "Tags", "Color", "Archived"}, name):
			n.properties[name] += value
		case name == "Note type": // what the blocks alone would not say
		case strings.HasPrefix(text, "{{[["):
			n.items = append(append(n.items, text), below...)
		case strings.HasPrefix(text, "!["):
			n.images = append(n.images, text)
		default:
			n.content = append(append(n.content, text), below...)
		}
	}
	return n
}

// isMixed reports whether a note has tasks and nothing that says that they are items of
// a checklist, as an update leaves it that came half way.
func (g graphNow) isMixed(uid string) bool {
	n := g.note(uid)
	typed := slices.ContainsFunc(g.children(uid), func(child string) bool { return g[child].text == "Note type:: checklist" })
	return len(n.items) > 0 && !typed && len(n.content)+len(n.images) > 0
}

// is reports whether a note is as another; images of which none knows the address are
// counted.
func (n noteNow) is(wanted noteNow) bool {
	return n.there == wanted.there && n.title == wanted.title && n.top == wanted.top && n.pinned == wanted.pinned &&
		maps.Equal(n.properties, wanted.properties) && slices.Equal(n.content, wanted.content) && slices.Equal(n.items, wanted.items) && len(n.images) == len(wanted.images)
}

// with returns the note as a call wants it. It changes nothing that the call leaves out.
func (n noteNow) with(asked map[string]any) noteNow {
	wanted := n
	wanted.there = true
	wanted.properties = map[string]string{}
	maps.Copy(wanted.properties, n.properties)
	set := func(name, value string) {
		if delete(wanted.properties, name); value != "" {
			wanted.properties[name] = value
		}
	}
	for key, value := range asked {
		switch key {
		case "title":
			wanted.title, _ = value.(string)
		case "content":
			wanted.content = outlineLines(value.(string))
			if wanted.title == "" { // a quick note
				wanted.top, wanted.content = quickLines(wanted.content)
			}
		case "tags", "labels":
			var tags []string
			for _, tag := range value.([]string) {
				if strings.Contains(tag, " ") {
					tag = "[[" + tag + "]]"
				}
				tags = append(tags, "#"+tag)
			}
			set("Tags", strings.Join(tags, " "))
		case "color":
			set("Color", strings.TrimSuffix(value.(string), "default"))
		case "isPinned":
			wanted.pinned, _ = value.(bool)
		case "isArchived":
			set("Archived", map[bool]string{true: "true"}[value.(bool)])
		case "checkItems":
			wanted.items = nil
			for _, item := range value.([]map[string]any) {
				mark := map[bool]string{false: "{{[[TODO]]}} ", true: "{{[[DONE]]}} "}[item["checked"].(bool)]
				wanted.items = append(wanted.items, mark+item["text"].(string))
			}
		case "images":
			wanted.images = value.([]string)
		}
	}
	return wanted
}

// outlineLines returns the lines of bullets without the marks.
func outlineLines(content string) []string {
	var lines []string
	for line := range strings.SplitSeq(content, "\n") {
		if line != "" {
			lines = append(lines, strings.Replace(line, "- ", "", 1))
		}
	}
	return lines
}

// quickLines parts the lines of a quick note: the first is its block, the others are
// below.
func quickLines(lines []string) (top string, below []string) {
	if len(lines) == 0 {
		return "", nil
	}
	under := true
	for _, line := range lines[1:] {
		deeper := strings.HasPrefix(line, "  ")
		if under = under && deeper; under {
			line = line[2:]
		}
		below = append(below, line)
	}
	return lines[0], below
}

// others checks that nothing changed but what is in the trees of some uids, before or
// after, links to titles, and pages that are only mentioned.
func (g graphNow) others(after graphNow, of []string, links *strings.Replacer) error {
	free := map[string]bool{}
	for _, uid := range of {
		for _, graph := range []graphNow{g, after} {
			for _, each := range graph.tree(uid) {
				free[each] = true
			}
		}
	}
	for uid, was := range g {
		is, there := after[uid]
		if was.order = is.order; was.parent != "" { // siblings come and go
			was.text = links.Replace(was.text)
			is.text = links.Replace(is.text)
		}
		if !free[uid] && (!there || is != was) {
			return fmt.Errorf("%s, which the call is not about, was %+v and is %+v (there: %v)", uid, was, is, there)
		}
	}
	for uid, is := range after {
		if _, was := g[uid]; !was && !free[uid] && (is.parent != "" || len(after.children(uid)) > 0) {
			return fmt.Errorf("%s is new: %+v %q", uid, is, after.lines(uid, ""))
		}
	}
	return nil
}

// twice returns the text of blocks that is there twice though it was not before.
func (g graphNow) twice(after graphNow, links *strings.Replacer) string {
	count := func(g graphNow) map[string]int {
		n := map[string]int{}
		for _, s := range g {
			if strings.Contains(s.text, "word ") {
				n[links.Replace(s.text)]++
			}
		}
		return n
	}
	before := count(g)
	for text, n := range count(after) {
		if n > 1 && n > before[text] {
			return text
		}
	}
	return ""
}

// difference says how two graphs differ, for a message.
func (g graphNow) difference(after graphNow) string {
	var lines []string
	for _, uid := range slices.Sorted(maps.Keys(g)) {
		if is, there := after[uid]; !there {
			lines = append(lines, fmt.Sprintf("- %s %+v", uid, g[uid]))
		} else if is != g[uid] {
			lines = append(lines, fmt.Sprintf("~ %s %+v to %+v", uid, g[uid], is))
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(after)) {
		if _, was := g[uid]; !was {
			lines = append(lines, fmt.Sprintf("+ %s %+v", uid, after[uid]))
		}
	}
	return strings.Join(lines, "\n")
}
