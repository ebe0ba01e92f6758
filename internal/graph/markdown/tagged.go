package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"roam-mcp/internal/graph/outline"
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
	if len(blocks) == 0 {
		return ""
	}
	return bullets(blocks, func(b *outline.Block) string {
		text := Bullet(b.String, nil)
		if text != "" {
			text += " "
		}
		if hasSigns(b.Heading) {
			text = signs(b.Heading) + text
		}
		return text + tagOf(b)
	}) + "\n"
}

// hasSigns reports whether there are signs for a heading, or none are needed.
func hasSigns(heading int) bool { return 0 <= heading && heading <= 3 }

// tagOf writes "<roam …/>", the uid first.
func tagOf(block *outline.Block) string {
	tag := "<roam"
	attr := func(name, value string) { tag += " " + name + `="` + escapeAttribute(value) + `"` }
	if !hasSigns(block.Heading) {
		attr(headingAttribute, strconv.Itoa(block.Heading))
	}
	if uid, ok := block.Annotation["uid"]; ok {
		attr("uid", uid)
	}
	for _, name := range slices.Sorted(maps.Keys(block.Annotation)) {
		if name != "uid" {
			attr(name, block.Annotation[name])
		}
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
