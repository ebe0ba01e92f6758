package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/graphdb/outline"
	"roam-mcp/internal/lazyregexp"
)

// Attributes of a tag that say how a block is, where older versions wrote no Markdown for it.
const (
	textAttribute    = "text"
	headingAttribute = "heading"
)

// RenderTagged is Render with a tag <roam …/> at the end of each block, which holds its
// Annotation. ParseTagged gives texts, headings, annotations and nesting back.
func RenderTagged(blocks []outline.Block) string {
	var b strings.Builder
	writeTagged(&b, blocks, "")
	return b.String()
}

func writeTagged(b *strings.Builder, blocks []outline.Block, margin string) {
	for _, block := range blocks {
		b.WriteString(margin + "- ")
		if 0 < block.Heading && block.Heading <= 3 {
			b.WriteString(strings.Repeat("#", block.Heading) + " ")
		}
		if text := Bullet(block.String, nil); text != "" {
			b.WriteString(outline.Indented(text, margin+"  ") + " ")
		}
		b.WriteString(tagOf(block) + "\n")
		writeTagged(b, block.Children, margin+"  ")
	}
}

// tagOf writes "<roam …/>", the uid first.
func tagOf(block outline.Block) string {
	names := slices.SortedFunc(maps.Keys(block.Annotation), func(a, b string) int {
		if (a == "uid") != (b == "uid") {
			return map[bool]int{true: -1, false: 1}[a == "uid"]
		}
		return strings.Compare(a, b)
	})
	tag := "<roam"
	if block.Heading < 0 || block.Heading > 3 { // for which there are no signs
		tag += fmt.Sprintf(` %s="%d"`, headingAttribute, block.Heading)
	}
	for _, name := range names {
		tag += " " + name + `="` + escapeAttribute(block.Annotation[name]) + `"`
	}
	return tag + "/>"
}

// ParseTagged is Parse for text in which blocks may end with a tag <roam …/>, as reads and
// RenderTagged write it. The attributes of a tag become the block's Annotation.
func ParseTagged(text string) []outline.Block {
	r := newReader(text)
	r.tagged = true
	return r.document().Blocks
}

var (
	closingTag   = lazyregexp.New(`[ ]?<roam((?: +[a-zA-Z]+="[^"<>]*")*) */>[ \t]*$`)
	tagAttribute = lazyregexp.New(`([a-zA-Z]+)="([^"<>]*)"`)
)

// cutTag takes the tag at the end of an item away, and returns its attributes; nil if it has
// none.
func (it *item) cutTag() map[string]string {
	last := &it.lines[len(it.lines)-1].text
	if !strings.Contains(*last, "<roam") {
		return nil
	}
	m := closingTag.FindStringSubmatchIndex(*last)
	if m == nil || it.table {
		return nil
	}
	annotation := map[string]string{}
	for _, attr := range tagAttribute.FindAllStringSubmatch((*last)[m[2]:m[3]], -1) {
		annotation[attr[1]] = unescapeAttribute(attr[2])
	}
	*last = (*last)[:m[0]]
	return annotation
}

// annotate sets the annotation of a block, and what it says of it.
func annotate(b *outline.Block, annotation map[string]string) {
	b.Annotation = annotation
	if heading, err := strconv.Atoi(annotation[headingAttribute]); err == nil {
		b.Heading = heading
		delete(annotation, headingAttribute)
	}
	if text, ok := annotation[textAttribute]; ok {
		b.String = text
		delete(annotation, textAttribute)
	}
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
