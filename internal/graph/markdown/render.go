package markdown

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
)

// Render returns blocks as bullets, which Parse reads back to the same texts, headings and
// nesting.
func Render(blocks []outline.Block) string {
	return bullets(blocks, func(b *outline.Block) string { return signs(b.Heading) + Bullet(b.String, nil) })
}

// Bullets returns blocks as bullets, with their texts as they are.
func Bullets(blocks []outline.Block) string {
	return bullets(blocks, func(b *outline.Block) string { return signs(b.Heading) + b.String })
}

// signs returns the signs of a heading in front of its text.
func signs(heading int) string {
	if heading <= 0 {
		return ""
	}
	return strings.Repeat("#", heading) + " "
}

// bullets returns blocks as bullets, each with the text that write returns.
func bullets(blocks []outline.Block, write func(b *outline.Block) string) string {
	var out strings.Builder
	var add func(blocks []outline.Block, margin string)
	add = func(blocks []outline.Block, margin string) {
		for i := range blocks {
			out.WriteString(margin + "- " + outline.Indented(write(&blocks[i]), margin+"  ") + "\n")
			add(blocks[i].Children, margin+"  ")
		}
	}
	add(blocks, "")
	return strings.TrimSuffix(out.String(), "\n")
}

// Bullet returns the text of a block as it is written in a bullet. show adds what a read shows
// besides to a run of its lines that is Markdown, and that Parse takes away; it may be nil.
func Bullet(text string, show func(inline string) string) string {
	if isPlain(text) && (show == nil || !strings.Contains(text, "((")) {
		return text
	}
	return escape(text, false, show)
}

// Paragraph returns the text of a block without a heading as it is written in a paragraph. sure
// is false where it is so only if others before it or behind do not make it something else. It
// returns "" for a text that is written in a bullet only, as one with an empty line.
func Paragraph(text string, show func(inline string) string) (written string, sure bool) {
	if strings.TrimSpace(text) == "" || strings.Contains("\n"+text+"\n", "\n\n") || strings.TrimRight(text, " \t") != text {
		return "", false
	}
	c, _, _ := constructOf(text)
	if c == nil && isPlain(text) {
		return Bullet(text, show), true
	}
	for _, start := range [...]bool{false, true} {
		if written = escape(text, start, show); isOne(written, text) {
			return written, false
		}
	}
	return "", false
}

// isOne reports whether a text is read as one block with another text, also with a paragraph
// behind it.
func isOne(written, text string) bool {
	return Same(Parse(written+"\n\nafter").Blocks, []outline.Block{{String: text}, {String: "after"}})
}

// isPlain reports whether a text is sure to be read back from a bullet as it is.
func isPlain(text string) bool {
	if text == "" {
		return true
	}
	switch text[0] {
	case ' ', '\t', '\f', '#', '`', '~', '$', '<', '\xef': // the last begins a byte order mark
		return false
	case '[', '{':
		_, isTask := showBox(text)
		if _, isBox := readBox(text); isTask || isBox {
			return false
		}
	}
	if strings.ContainsAny(text, "\r\n\x00\\") || strings.Contains(text, "<r") || strings.Contains(text, "</") {
		return false
	}
	return !strings.ContainsAny(text, "*_") || roamtext.FromMarkdown(text) == text
}

// escape returns a text with the backslashes that it needs in a bullet or a paragraph.
func escape(text string, paragraph bool, show func(string) string) string {
	lines := linesOf(text)
	plain := len(lines) // behind the last line that is not empty
	for plain > 0 && strings.TrimSpace(lines[plain-1].text) == "" {
		plain--
	}
	written := strings.Split(joined(lines, func(inline string) string {
		if inline = escapeInline(inline); show != nil {
			inline = show(inline)
		}
		return inline
	}), "\n")
	for i := range written {
		if lines[i].kept {
			continue
		}
		box, isTask := showBox(written[i])
		switch {
		case i == 0 && isTask:
			written[i] = box
		case i == 0:
			written[i] = escapeStart(written[i], paragraph)
		case written[i] != "" || i >= plain:
			written[i] = escapeLine(written[i], false)
		}
		written[i] = showControls(written[i])
	}
	return strings.Join(written, "\n")
}

// BeginsKept reports whether the text of a block begins with code, a formula or HTML of several
// lines, which belong together.
func BeginsKept(text string) bool { return linesOf(text)[0].kept }

// linesOf parts a text into lines, and finds those that are kept as they are.
func linesOf(text string) []line {
	texts := strings.Split(text, "\n")
	lines := make([]line, len(texts))
	for i := range texts {
		lines[i].text = texts[i]
	}
	known := search{}
	for i := 0; i < len(texts); i++ {
		c, ending := opens(texts[i])
		if c == nil || ending[0] == '~' || i == 0 && startForm.MatchString(texts[0]) {
			continue
		}
		end := i + 1 + known.end(c, ending, texts, i+1, len(texts))
		if end == i+1 || slices.ContainsFunc(texts[i:end], cannotBeKept) {
			continue
		}
		for ; i < end; i++ {
			lines[i].kept = true
		}
		i--
	}
	return lines
}

// cannotBeKept reports whether a line of code is not read back as it is.
func cannotBeKept(text string) bool {
	return strings.ContainsAny(text, "\r\x00") || withoutTag(text) != text
}

// escapeStart returns the first line of a text with the backslash that it needs.
func escapeStart(text string, paragraph bool) string {
	if m := startForm.FindStringSubmatchIndex(text); m != nil {
		return withSlash(text, m[3])
	}
	return escapeLine(text, !paragraph)
}

// escapeLine returns a line with the backslash that it needs, where a text begins in a bullet or
// further on.
func escapeLine(text string, first bool) string {
	c, from, to, ok := escapable(text)
	switch {
	case !ok:
		return text
	case from < to:
	case c == nil && first:
		return text
	case c != nil && (first && !c.first || c.ending != nil && c.ending(text) == ""):
		return text
	}
	return withSlash(text, to)
}

// ForImporter returns the text that Roam's importer reads back to exactly these blocks; false
// if there is none that it is sure to read so, as for code of several lines, or if a block
// has a uid or a look that no Markdown says.
func ForImporter(blocks []outline.Block) (string, bool) {
	if !isImportable(blocks) {
		return "", false
	}
	text := Bullets(blocks)
	return text, Check(text) == nil && Same(Importer(text), blocks)
}

func isImportable(blocks []outline.Block) bool {
	return !slices.ContainsFunc(blocks, func(b outline.Block) bool {
		return b.UID != "" || b.Collapsed || b.TextAlign != "" || b.BlockViewType != "" || b.Props != "" ||
			b.ChildrenViewType != "" && b.ChildrenViewType != "bullet" ||
			strings.Contains(b.String, "\n") && slices.ContainsFunc(linesOf(b.String), func(l line) bool { return l.kept }) ||
			!isImportable(b.Children)
	})
}

// Same reports whether blocks have the same texts, headings and nesting.
func Same(a, b []outline.Block) bool {
	return slices.EqualFunc(a, b, func(x, y outline.Block) bool {
		return x.String == y.String && x.Heading == y.Heading && Same(x.Children, y.Children)
	})
}
