package outline

import (
	"strconv"
	"strings"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/roamtext"
)

// AllLevels as a depth renders the whole tree.
const AllLevels = -1

// RenderOptions say how much of a tree is shown.
type RenderOptions struct {
	MaxDepth int // levels below the first: 0 the page or block alone, AllLevels everything
	Truncate int // search results: the characters of a block's text that are shown; 0: all
}

// Render gives a page or block as Roam's annotated markdown (LOCAL_API.md 9.6).
// Hidden blocks are left out (9.7). A hidden or unknown entity gives "".
func Render(r graphdb.Reader, e graphdb.EID, options RenderOptions) string {
	rr := renderer{r: r, marks: hidingPages(r), options: options, seen: map[graphdb.EID]bool{}}
	switch {
	case IsPage(r, e):
		rr.page(e)
	case IsBlock(r, e) && !hides(r, rr.marks, e):
		rr.block(e, 0, 0)
	}
	return strings.TrimSuffix(rr.out.String(), "\n")
}

type renderer struct {
	r       graphdb.Reader
	marks   []graphdb.EID
	options RenderOptions
	seen    map[graphdb.EID]bool // a dump may hold a block twice, or in a circle
	out     strings.Builder
}

func (rr *renderer) page(e graphdb.EID) {
	kids := rr.visible(e)
	hidden := 0
	if rr.options.MaxDepth == 0 {
		hidden, kids = len(kids), nil
	}
	rr.out.WriteString("# " + rr.r.String(e, graphdb.NodeTitle) + " ")
	rr.tag(e, hidden, 0)
	rr.out.WriteString("\n")
	for i, k := range kids {
		if i == 0 {
			rr.out.WriteString("\n")
		}
		rr.block(k, 0, 1)
	}
}

// block writes a block at an indentation; depth counts levels below the first.
func (rr *renderer) block(e graphdb.EID, indent, depth int) {
	if rr.seen[e] {
		return
	}
	rr.seen[e] = true
	kids := rr.visible(e)
	hidden := 0
	if rr.options.MaxDepth != AllLevels && depth >= rr.options.MaxDepth {
		hidden, kids = len(kids), nil
	}
	text := rr.r.String(e, graphdb.BlockString)
	cut := 0
	if most := rr.options.Truncate; most > 0 {
		if runes := []rune(text); len(runes) > most {
			text, cut = string(runes[:most]), len(runes)-most
		}
	}
	margin := strings.Repeat("  ", indent)
	rr.out.WriteString(margin + "- ")
	if text = rr.previews(text); text != "" {
		rr.out.WriteString(Indented(text, margin+"  ") + " ")
	}
	rr.tag(e, hidden, cut)
	rr.out.WriteString("\n")
	for _, k := range kids {
		rr.block(k, indent+1, depth+1)
	}
}

// Indented sets the further lines of a text under its first.
func Indented(text, margin string) string {
	if !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = margin + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func (rr *renderer) visible(e graphdb.EID) []graphdb.EID {
	kids := Children(rr.r, e)
	if len(rr.marks) == 0 {
		return kids
	}
	shown := kids[:0]
	for _, k := range kids {
		if !marked(rr.r, rr.marks, k) {
			shown = append(shown, k)
		}
	}
	return shown
}

// tag writes "<roam uid=… …/>", its attributes in Roam's order.
func (rr *renderer) tag(e graphdb.EID, hiddenChildren, truncated int) {
	rr.out.WriteString("<roam")
	attr := func(name, value string) { rr.out.WriteString(" " + name + `="` + value + `"`) }
	if uid := rr.r.String(e, graphdb.BlockUID); roamtext.ValidUID(uid) {
		attr("uid", uid) // what can't be written as a reference can't be addressed
	}
	if h, ok := rr.r.Int(e, graphdb.BlockHeading); ok && h >= 1 && h <= 3 {
		attr("heading", strconv.FormatInt(h, 10))
	}
	if view := plainKeyword(rr.r.String(e, graphdb.ChildrenViewType)); view == "numbered" || view == "document" {
		attr("childrenViewType", view)
	}
	for _, count := range []struct {
		name string
		n    int
	}{{"refs", rr.r.ReverseCount(graphdb.BlockRefs, e)}, {"hiddenChildren", hiddenChildren}, {"truncated", truncated}} {
		if count.n > 0 {
			attr(count.name, strconv.Itoa(count.n))
		}
	}
	rr.out.WriteString("/>")
}

// previews sets the text of what is referred to behind each ((uid)), but of nothing and of
// what is hidden.
func (rr *renderer) previews(text string) string {
	return WithPreviews(text, func(uid string) (string, bool) {
		target := ByUID(rr.r, uid)
		if target == 0 || hides(rr.r, rr.marks, target) {
			return "", false
		}
		return rr.flat(TextOf(rr.r, target)), true
	})
}

// WithPreviews sets the texts of blocks behind the references to them, where textOf has one.
// Aliases and what stands in a component stay as they are.
func WithPreviews(text string, textOf func(uid string) (string, bool)) string {
	if !strings.Contains(text, "((") {
		return text
	}
	var edits []roamtext.Edit
	component := 0 // where the last one ends
	for _, ref := range roamtext.Spans(text) {
		if ref.Kind == roamtext.Component {
			component = max(component, ref.End)
		}
		if ref.Kind != roamtext.BlockRef || ref.Start < component || strings.HasSuffix(text[:ref.Start], "](") {
			continue
		}
		if shown, ok := textOf(ref.Content(text)); ok {
			edits = append(edits, roamtext.Edit{Range: roamtext.Range{Start: ref.End, End: ref.End}, Text: "<ref>" + previewEscapes.Replace(shown) + "</ref>"})
		}
	}
	return roamtext.Apply(text, edits)
}

// previewEscapes escape a text for use in <ref>…</ref>: on one line, unable to close it or to
// begin code.
var previewEscapes = strings.NewReplacer("</ref>", `<\/ref>`, "`", "\\`", "\n", " ", "\r", " ")

// flat replaces the references in a preview by plain text, one level deep: what
// those refer to stays out.
func (rr *renderer) flat(text string) string {
	return ReplaceBlockRefs(text, func(uid string) (string, bool) {
		target := ByUID(rr.r, uid)
		if target == 0 || hides(rr.r, rr.marks, target) {
			return "", true
		}
		return ReplaceBlockRefs(TextOf(rr.r, target), func(string) (string, bool) { return "", true }), true
	})
}

// PathItem is one step of the way from a page down to a block.
type PathItem struct {
	UID   string
	Title string // the page's title or the block's text, references as plain text
}

// Path is what lies above a block, the page first; empty for a page.
func Path(r graphdb.Reader, e graphdb.EID) []PathItem {
	rr := renderer{r: r, marks: hidingPages(r)}
	var out []PathItem
	for _, a := range Ancestors(r, e) {
		out = append(out, PathItem{UID: r.String(a, graphdb.BlockUID), Title: rr.flat(TextOf(r, a))})
	}
	return out
}
