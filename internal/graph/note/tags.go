package note

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/graph/roamtext"
)

// TagsName is the name of the property line that declares the tags of a page.
const TagsName = "Tags"

func isTags(name string) bool { return strings.EqualFold(name, TagsName) }

// Key returns what tags have in common that are one: Unicode form NFC, case folded,
// without # and brackets around, runs of blanks, _ and - as one hyphen.
func Key(tag string) string { return slug(bareTag(tag)) }

// bareTag returns a tag without blanks, # and brackets around it.
func bareTag(tag string) string {
	for {
		before := tag
		tag = strings.TrimLeft(strings.TrimSpace(tag), "#")
		if inner, ok := strings.CutPrefix(tag, "[["); ok && strings.HasSuffix(inner, "]]") {
			tag = inner[:len(inner)-2]
		}
		if tag == before {
			return tag
		}
	}
}

// slug folds a text as Key does.
func slug(text string) string {
	text = fold(text)
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for _, r := range text {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			gap = true
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteRune(r)
	}
	if gap {
		b.WriteByte('-')
	}
	return b.String()
}

// fold returns a text in Unicode form NFC and without regard to case.
func fold(text string) string {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(text)))
		}
	}
	return strings.ToLower(text)
}

// Tags are the tags of a note, as titles, each once by key.
type Tags struct {
	Declared []string // in a line Tags:: that is a direct child of the page
	Inline   []string // in the text, in order, without those that are declared
}

// All returns the declared tags and then the inline ones.
func (t Tags) All() []string {
	return append(append(make([]string, 0, len(t.Declared)+len(t.Inline)), t.Declared...), t.Inline...)
}

// TagsOf returns the tags of a node: those of its visible blocks and, of a block, those
// of its own text.
func TagsOf(n Node) Tags {
	var t Tags
	if n.Hidden {
		return t
	}
	seen := map[string]bool{}
	add := func(list *[]string, titles []string) {
		for _, title := range titles {
			if key := Key(title); key != "" && !seen[key] {
				seen[key] = true
				*list = append(*list, title)
			}
		}
	}
	for _, c := range n.Children {
		if !c.Hidden {
			add(&t.Declared, Read(c.Text, true).Declared)
		}
	}
	if !n.IsPage() {
		add(&t.Inline, Read(n.Text, false).Inline)
	}
	for i := range n.Children {
		if c := &n.Children[i]; !c.Hidden {
			add(&t.Inline, Read(c.Text, true).Inline)
			for b := range c.blocks() {
				add(&t.Inline, Read(b.Text, false).Inline)
			}
		}
	}
	return t
}

// TagsLine returns the text of the block that declares tags: "Tags:: #a #[[b c]]", each
// once by key; "" where there are none. Names that Roam gives a meaning of its own, such as
// .rm-hide, are no tags. titleOf returns the title of a page with a key, which is written
// instead; it may be nil.
func TagsLine(tags []string, titleOf func(key string) (string, bool)) string {
	var b strings.Builder
	seen := map[string]bool{}
	for _, tag := range tags {
		title := bareTag(tag)
		if titleOf != nil {
			if known, ok := titleOf(Key(title)); ok {
				title = known
			}
		}
		text := tagText(title)
		if key := Key(text); key != "" && !seen[key] && !isMark(bareTag(text)) {
			seen[key] = true
			b.WriteString(" " + text)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return TagsName + "::" + b.String()
}

// tagText returns a tag as Roam reads it. What can't stand in brackets is left out of
// the title.
func tagText(title string) string {
	if roamtext.Bare(title) {
		return "#" + title
	}
	text := "#[[" + title + "]]"
	if refs := roamtext.References(text); len(refs) > 0 && refs[0].Kind == roamtext.TagLink && refs[0].End == len(text) && !strings.ContainsAny(title, "\r\n") {
		return text
	}
	title = strings.Join(strings.FieldsFunc(title, func(r rune) bool { return strings.ContainsRune("[]`#", r) || unicode.IsSpace(r) }), " ")
	switch {
	case title == "":
		return ""
	case roamtext.Bare(title):
		return "#" + title
	}
	return "#[[" + title + "]]"
}

// BlocksTagged returns how many visible blocks below a page have a tag with that key in
// their text. Tags:: lines are none.
func BlocksTagged(page Node, key string) int {
	tagged := 0
	var walk func(nodes []Node, direct bool)
	walk = func(nodes []Node, direct bool) {
		for _, each := range nodes {
			if each.Hidden {
				continue
			}
			if slices.ContainsFunc(Read(each.Text, direct).Inline, func(title string) bool { return Key(title) == key }) {
				tagged++
			}
			walk(each.Children, false)
		}
	}
	walk(page.Children, true)
	return tagged
}
