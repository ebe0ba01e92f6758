package outline

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/graphdb/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// Attributes of a tag that this file writes itself.
const (
	textAttribute    = "text"    // the text of a block that markdown can't show
	headingAttribute = "heading" // of such a block
)

// AnnotatedMarkdown writes trees as outliner-shaped markdown in which every
// block ends with a tag <roam …/> that holds its Annotation. ParseAnnotated
// gives text, heading, annotation and nesting back exactly: a text that
// markdown would read as something else is written into the tag. Other fields
// of the blocks are not written.
func AnnotatedMarkdown(blocks []Block) (string, error) {
	blocks = annotatedOnly(blocks)
	w := annotatedWriter{literal: map[int]bool{}}
	for range maxRewrites {
		text := w.text(blocks)
		got := ParseAnnotated(text)
		if reflect.DeepEqual(got, blocks) {
			return text, nil
		}
		// Two blocks that are fine by themselves need not be so side by side.
		at := firstDifference(got, blocks)
		w.literal[at], w.literal[at-1] = true, true
	}
	w.all = true
	text := w.text(blocks)
	if !reflect.DeepEqual(ParseAnnotated(text), blocks) {
		return "", invalid("The outline can't be written as markdown.")
	}
	return text, nil
}

// maxRewrites bounds how often a page is read back to see what went wrong.
const maxRewrites = 8

// firstDifference is the place, in order of reading, of the first block that
// differs in itself or in the number of its children.
func firstDifference(a, b []Block) int {
	x, y := preorder(nil, a), preorder(nil, b)
	for i := range min(len(x), len(y)) {
		p, q := x[i], y[i]
		if p.String != q.String || p.Heading != q.Heading || len(p.Children) != len(q.Children) || !maps.Equal(p.Annotation, q.Annotation) {
			return i
		}
	}
	return min(len(x), len(y))
}

func preorder(list []*Block, blocks []Block) []*Block {
	for i := range blocks {
		list = preorder(append(list, &blocks[i]), blocks[i].Children)
	}
	return list
}

// annotatedOnly copies the fields that are written.
func annotatedOnly(blocks []Block) []Block {
	var out []Block
	for _, b := range blocks {
		annotation := b.Annotation
		if annotation == nil {
			annotation = map[string]string{}
		}
		out = append(out, Block{String: b.String, Heading: b.Heading, Annotation: annotation, Children: annotatedOnly(b.Children)})
	}
	return out
}

// annotatedWriter writes blocks, some with their text in the tag.
type annotatedWriter struct {
	b       strings.Builder
	literal map[int]bool // by place in order of reading
	all     bool         // all are literal
	n       int
}

func (w *annotatedWriter) text(blocks []Block) string {
	w.b.Reset()
	w.n = 0
	w.write(blocks, "")
	return w.b.String()
}

func (w *annotatedWriter) write(blocks []Block, margin string) {
	for _, block := range blocks {
		literal := w.all || w.literal[w.n] || !showable(block)
		w.n++
		w.b.WriteString(margin + "- ")
		if !literal && block.Heading > 0 {
			w.b.WriteString(strings.Repeat("#", block.Heading) + " ")
		}
		if !literal && block.String != "" {
			w.b.WriteString(indented(block.String, margin+"  ") + " ")
		}
		w.b.WriteString(tagOf(block, literal) + "\n")
		w.write(block.Children, margin+"  ")
	}
}

// showable tells whether a block's text comes back as it is from between other
// blocks.
func showable(block Block) bool {
	text := block.String
	switch {
	case block.Heading < 0 || block.Heading > 3 || strings.Trim(text, " \t\n") != strings.TrimRight(text, " "):
		return false
	case block.Heading == 0 && !strings.ContainsAny(text, "\t\n\r\x00`|<\ufeff") && !strings.HasPrefix(text, "#"):
		return true
	}
	heading := strings.Repeat("#", block.Heading)
	if heading != "" {
		heading += " "
	}
	if text != "" {
		text = indented(text, "  ") + " "
	}
	around := ParseAnnotated("- " + heading + text + "<roam/>\n  - below <roam/>\n- after <roam/>\n")
	return len(around) == 2 && around[0].String == block.String && around[0].Heading == block.Heading && around[0].Annotation != nil &&
		len(around[0].Children) == 1 && around[0].Children[0].String == "below" && around[1].String == "after"
}

// tagOf writes "<roam …/>", the uid first.
func tagOf(block Block, withText bool) string {
	var b strings.Builder
	b.WriteString("<roam")
	attr := func(name, value string) { b.WriteString(" " + name + `="` + escapeAttribute(value) + `"`) }
	if uid, ok := block.Annotation["uid"]; ok {
		attr("uid", uid)
	}
	if withText {
		if block.Heading != 0 {
			attr(headingAttribute, strconv.Itoa(block.Heading))
		}
		attr(textAttribute, block.String)
	}
	for _, name := range slices.Sorted(maps.Keys(block.Annotation)) {
		if name != "uid" {
			attr(name, block.Annotation[name])
		}
	}
	return b.String() + "/>"
}

// ParseAnnotated is ParseMarkdown for text in which blocks may end with a tag
// <roam …/>, as reading and AnnotatedMarkdown write it. The attributes of a tag
// become the block's Annotation. The text before a tag is Roam's own and taken
// as it is, but for the previews of references.
func ParseAnnotated(markdown string) []Block {
	p := &parser{lines: markdownLines(markdown), annotated: true}
	p.read()
	return p.tree()
}

// ParseForeign is ParseAnnotated for text of other programs, in which code is fenced by
// tildes and by more than three backticks, too.
func ParseForeign(markdown string) []Block {
	p := &parser{lines: markdownLines(markdown), annotated: true, foreign: true}
	p.read()
	return p.tree()
}

var (
	closingTag   = lazyregexp.New(`[ ]?<roam((?: +[a-zA-Z]+="[^"<>]*")*) */>[ \t]*$`)
	tagAttribute = lazyregexp.New(`([a-zA-Z]+)="([^"<>]*)"`)
)

// annotatedBlock makes the block of an item that ends with a tag.
func (it item) annotatedBlock() (Block, bool) {
	text := strings.Join(it.lines, "\n")
	m := closingTag.FindStringSubmatchIndex(text)
	if m == nil || it.table {
		return Block{}, false
	}
	b := Block{String: DecodeAnnotations(text[:m[0]]), Annotation: map[string]string{}}
	for _, attr := range tagAttribute.FindAllStringSubmatch(text[m[2]:m[3]], -1) {
		b.Annotation[attr[1]] = unescapeAttribute(attr[2])
	}
	if h := headingText.FindStringSubmatch(strings.SplitN(b.String, "\n", 2)[0]); h != nil && !it.fence && len(h[1]) <= 3 {
		b.Heading = len(h[1])
		b.String = strings.TrimLeft(b.String[len(h[1]):], " \t")
	}
	if h, err := strconv.Atoi(b.Annotation[headingAttribute]); err == nil {
		b.Heading = h
		delete(b.Annotation, headingAttribute)
	}
	if literal, ok := b.Annotation[textAttribute]; ok {
		b.String = literal
		delete(b.Annotation, textAttribute)
	}
	return b, true
}

var attributeEscapes = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;")

// escapeAttribute writes control characters as numbers, since the tag stands on
// one line, and bars, since lines with bars may be a table.
func escapeAttribute(s string) string {
	s = attributeEscapes.Replace(s)
	if !strings.ContainsFunc(s, isSpecial) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isSpecial(r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isSpecial(r rune) bool {
	return r == '|' || r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r == 0xfeff
}

var attributeEntity = lazyregexp.New(`&(?:amp|quot|lt|gt|#[0-9]{1,7});`)

func unescapeAttribute(s string) string {
	return attributeEntity.ReplaceAllStringFunc(s, func(entity string) string {
		switch entity {
		case "&amp;":
			return "&"
		case "&quot;":
			return `"`
		case "&lt;":
			return "<"
		case "&gt;":
			return ">"
		}
		n, err := strconv.Atoi(entity[2 : len(entity)-1])
		if err != nil || n > 0x10ffff {
			return entity
		}
		return string(rune(n))
	})
}

var (
	roamTag    = lazyregexp.New(`[ \t]?<roam(?:\s+[a-zA-Z]+="[^"<>]*")*\s*/>`)
	refPreview = lazyregexp.New(`(\(\([^()\[\]{}<>"` + "`" + `\s]{1,256}\)\))<ref>`)
)

// DecodeAnnotations takes out of a text what reading added to it, so that an
// agent may write back what it read: "((uid))<ref>…</ref>" becomes "((uid))"
// and a stray "<roam …/>" goes (LOCAL_API.md 9.6). Nothing else changes; a
// preview that is never closed and what stands in code stay.
func DecodeAnnotations(s string) string {
	if strings.Contains(s, "<roam") {
		s = cutOutsideCode(s, roamTag.FindAllStringIndex(s, -1))
	}
	if !strings.Contains(s, "<ref>") {
		return s
	}
	var b strings.Builder
	code := roamtext.CodeRanges(s)
	at := 0
	for _, m := range refPreview.FindAllStringSubmatchIndex(s, -1) {
		if m[0] < at || code.Contain(m[0]) {
			continue
		}
		n := strings.Index(s[m[1]:], "</ref>")
		if n < 0 {
			break
		}
		b.WriteString(s[at:m[3]])
		at = m[1] + n + len("</ref>")
	}
	return b.String() + s[at:]
}

// cutOutsideCode removes the matches that do not lie in code.
func cutOutsideCode(s string, matches [][]int) string {
	code := roamtext.CodeRanges(s)
	var edits []edit
	for _, m := range matches {
		if !code.Contain(m[1] - 1) {
			edits = append(edits, edit{Range: roamtext.Range{Start: m[0], End: m[1]}})
		}
	}
	return apply(s, edits)
}
