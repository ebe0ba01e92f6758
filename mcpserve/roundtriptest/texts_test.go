package roundtriptest

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// markdown is a text as an agent writes it.
type markdown struct {
	text  string
	is    tree   // the blocks that it is, where there is only one reading; nil: there may be others
	parts []part // of a document
}

// part is a part of a document.
type part struct {
	text     string
	verbatim string // of it; is in one block
}

// outlineOf is the text of an outline.
func outlineOf(is tree) markdown {
	return markdown{text: strings.TrimSuffix(bullets(is, ""), "\n"), is: is}
}

// documentOf is the text of a document.
func documentOf(parts []part) markdown {
	var texts []string
	for _, each := range parts {
		texts = append(texts, each.text)
	}
	return markdown{text: strings.Join(texts, "\n\n"), parts: parts}
}

// markdown makes a text: an outline with one reading, a document, or something mutilated.
func (m maker) markdown() markdown {
	switch m.IntN(3) {
	case 0:
		return outlineOf(m.said(4, 3))
	case 1:
		return m.document()
	}
	var parts []string
	for range 1 + m.IntN(4) {
		parts = append(parts, m.stored())
	}
	return markdown{text: strings.Join(parts, m.of("\n", "\n\n", "\n- "))}
}

// said makes blocks that Markdown says without escapes.
func (m maker) said(most, depth int) tree {
	var t tree
	for range 1 + m.IntN(most) {
		b := block{Text: m.plain()}
		if m.chance(5) && !strings.Contains(b.Text, "\n") && !strings.HasPrefix(b.Text, "{{") && !strings.HasPrefix(b.Text, ">") {
			b.Heading = 1 + m.IntN(3)
		}
		if depth > 1 && m.chance(2) {
			b.Below = m.said(3, depth-1)
		}
		t = append(t, b)
	}
	return t
}

// plain makes a text of a construct that Markdown shows as it is.
func (m maker) plain() string {
	switch m.IntN(8) {
	case 0:
		return m.wholeFence()
	case 1:
		return m.word() + "\n" + m.wholeFence()
	case 2:
		return m.wholeFormula()
	case 3:
		return "> " + m.word() + m.of("", "\n> "+m.word())
	case 4:
		return m.of("{{[[TODO]]}} ", "{{[[DONE]]}} ") + m.word()
	case 5:
		return m.word() + "\n" + m.word()
	case 6:
		return strings.ReplaceAll(m.of("A:: w", "`w`", "[[w]] and #w", "((referred1)) w", "**w** and ^^w^^", "[w](http://w/x)", "w < w & w", "\"w\" w!", "$$x_1$$ w"), "w", m.word())
	}
	return m.word() + " " + m.word()
}

// wholeFence makes a fence that ends with at least as many of its mark, and holds what does not
// end it.
func (m maker) wholeFence() string {
	mark, other := "`", "~"
	if m.chance(3) {
		mark, other = other, mark
	}
	long := 3 + m.IntN(3)
	lines := []string{strings.Repeat(mark, long) + m.of("", "js", "md", "clojure")}
	for range 1 + m.IntN(5) {
		lines = append(lines, m.of(
			m.word(), "- "+m.word(), "  - "+m.word(), "# "+m.word(), "", "1. "+m.word(), "> "+m.word(), "$$", "* a *b* _c_", "[ ] "+m.word(), "\\- "+m.word(), "| a | b |",
			"---", strings.Repeat(mark, long-1), strings.Repeat(mark, max(long-2, 1))+"js", strings.Repeat(other, long), strings.Repeat(other, 3)+"js", "    "+m.word(),
		))
	}
	if lines[len(lines)-1] == "" {
		lines = append(lines, m.word())
	}
	return strings.Join(append(lines, strings.Repeat(mark, long+m.IntN(2))), "\n")
}

func (m maker) wholeFormula() string {
	return m.of("$$\na\n- b\n+ c\n$$", "$$\\begin{aligned}\na &= b \\\\\n- c &+ d\n\\end{aligned}$$", "$$\n\\begin{aligned}\n- c\n# d\n\\end{aligned}\n$$", "$$\n1. a\n* b\n> c\n$$", "$$a\n- b$$")
}

// bullets writes blocks as bullets.
func bullets(t tree, indent string) string {
	var out strings.Builder
	for _, b := range t {
		text := strings.NewReplacer("{{[[TODO]]}}", "[ ]", "{{[[DONE]]}}", "[x]").Replace(b.Text)
		if b.Heading > 0 {
			text = strings.Repeat("#", b.Heading) + " " + text
		}
		for i, line := range strings.Split(text, "\n") {
			switch {
			case i == 0:
				out.WriteString(indent + "- " + line + "\n")
			case line == "":
				out.WriteString("\n")
			default:
				out.WriteString(indent + "  " + line + "\n")
			}
		}
		out.WriteString(bullets(b.Below, indent+"  "))
	}
	return out.String()
}

// document makes paragraphs, headings, lists, tables, fences and formulas behind each other.
func (m maker) document() markdown {
	var parts []part
	for range 1 + m.IntN(5) {
		switch m.IntN(7) {
		case 0, 1:
			fence := m.wholeFence()
			parts = append(parts, part{fence, inner(fence)})
		case 2:
			formula := m.wholeFormula()
			parts = append(parts, part{formula, formula})
		case 3:
			parts = append(parts, part{text: outlineOf(m.said(3, 2)).text})
		case 4:
			mixed := m.of("| w | w |\n|---|---|\n| w | w |", "> w\n> w", "1. w\n2. w\n   - w", "w\n===", "<div>\nw\n</div>", "[x]: http://w")
			parts = append(parts, part{text: strings.ReplaceAll(mixed, "w", m.word())})
		default:
			words := m.word() + " " + m.word() + "; " + m.word() + "."
			parts = append(parts, part{m.of("", "", "# ", "## ") + words, words})
		}
	}
	return documentOf(parts)
}

// inner returns a fence without its first and its last row.
func inner(fence string) string {
	lines := strings.Split(fence, "\n")
	return strings.Join(lines[1:len(lines)-1], "\n")
}

// isStructure reports whether a character may be a sign of structure: of bullets, numbers,
// headings, rules, quotes, fences, tables, tasks, emphasis and escapes; so are blanks and what is
// not seen. A letter or a digit is none but in the number of an item and the sign of a task.
func isStructure(r rune) bool {
	return unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune("*_-+=#>~|\\`.):[]", r)
}

var (
	// numbers of lists and signs of tasks at the start of a line, behind others or not
	listNumber = regexp.MustCompile(`(?m)^((?:[ \t]*(?:[-*+>]|#{1,6}))*[ \t]*)\d{1,9}[.)]([ \t]|$)`)
	taskSign   = regexp.MustCompile(`(?m)^((?:[ \t]*(?:[-*+>]|#{1,6}))*[ \t]*)\[[xX]\]([ \t]|$)`)
	// what reads show for a character that is not seen is read as that
	escaped = regexp.MustCompile(`‹U\+[0-9A-F]{4,6}›`)
)

// kept returns the characters of a text that are no structure, in order.
func kept(text string) []rune {
	text = escaped.ReplaceAllString(text, "")
	for {
		less := taskSign.ReplaceAllString(listNumber.ReplaceAllString(text, "$1$2"), "$1$2")
		if less == text {
			break
		}
		text = less
	}
	var list []rune
	for _, r := range text {
		if !isStructure(r) {
			list = append(list, r)
		}
	}
	return list
}

// missing says which character of a text is not in texts, in order; empty: each is.
func missing(text string, texts []string) string {
	there := []rune(escaped.ReplaceAllString(strings.Join(texts, "\n"), ""))
	at := 0
	letters := kept(text)
	for i, r := range letters {
		for at < len(there) && there[at] != r {
			at++
		}
		if at == len(there) {
			return fmt.Sprintf("%q is missing behind %q", string(r), string(letters[max(0, i-12):i]))
		}
		at++
	}
	return ""
}
