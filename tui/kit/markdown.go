package kit

import (
	"cmp"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/internal/lazyregexp"
)

const (
	// maxMarkdown bounds the text that is drawn, in bytes. maxMarkdownLine bounds a
	// block of it.
	maxMarkdown     = 64 << 10
	maxMarkdownLine = 4 << 10
)

// span is a piece of a line in one style.
type span struct {
	text  string
	style lipgloss.Style
	whole bool // not to be broken at its spaces
}

var (
	roamTag     = lazyregexp.New(`\s*<roam\b[^<>]*/>`)
	roamHeading = lazyregexp.New(`<roam\b[^<>]*\bheading="[1-6]"`)
	numberMark  = lazyregexp.New(`^\d{1,4}[.)] `)
)

// Markdown returns markdown as Roam writes it, drawn in width cells: headings,
// bullets and what stands inside them (see inline). What it does not know stays as it
// is written.
func (l Look) Markdown(text string, width int) []string {
	more := len(text) > maxMarkdown
	if more {
		text = text[:maxMarkdown]
	}
	d := markdownDrawer{look: l, inline: inliner{l.Theme, l.Colourless}, width: width}
	for _, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		d.line(strings.ReplaceAll(line, "\t", "  "))
	}
	if more {
		d.lines = append(d.lines, "", l.Theme.Faint.Render("The rest is in Roam."))
	}
	for len(d.lines) > 0 && d.lines[len(d.lines)-1] == "" {
		d.lines = d.lines[:len(d.lines)-1]
	}
	return d.lines
}

// markdownDrawer draws markdown line by line.
type markdownDrawer struct {
	look   Look
	inline inliner
	width  int
	lines  []string
	fenced bool
	indent int // of the block that a fence or a line without a bullet belongs to
}

func (d *markdownDrawer) line(line string) {
	t := d.look.Theme
	body := strings.TrimLeft(line, " ")
	depth := min(len(line)-len(body), d.width/2, max(d.width-12, 0))
	if len(body) > maxMarkdownLine {
		body = strings.ToValidUTF8(body[:maxMarkdownLine], "") + d.look.Glyphs.CutMark
	}
	switch {
	case strings.HasPrefix(strings.TrimPrefix(body, "- "), "```"):
		if strings.HasPrefix(body, "- ") {
			d.indent = depth + 2
		}
		d.fenced = !d.fenced
	case d.fenced:
		code := strings.TrimPrefix(line, strings.Repeat(" ", d.indent))
		code = d.look.Glyphs.Cut(Sanitize(code), max(d.width-d.indent-2, 1))
		d.lines = append(d.lines, strings.Repeat(" ", d.indent)+t.Border.Render(d.look.Glyphs.Border.Vertical)+" "+t.Muted.Render(code))
	case strings.TrimSpace(body) == "":
		d.space()
	case len(body) >= 3 && strings.Trim(body, "-") == "":
		d.lines = append(d.lines, t.Border.Render(strings.Repeat(d.look.Glyphs.Border.Horizontal, max(min(d.width, 24), 0))))
	default:
		d.block(body, depth)
	}
}

// space adds an empty line, unless one is there or nothing is.
func (d *markdownDrawer) space() {
	if n := len(d.lines); n > 0 && d.lines[n-1] != "" {
		d.lines = append(d.lines, "")
	}
}

// block draws a bullet, a heading, a quotation or a paragraph.
func (d *markdownDrawer) block(body string, depth int) {
	t, g := d.look.Theme, d.look.Glyphs
	heading := roamHeading.MatchString(body)
	body = roamTag.ReplaceAllString(body, "")
	mark, style := "", t.Text
	for _, bullet := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(body, bullet); ok {
			mark, body = g.Dot+" ", rest
			break
		}
	}
	if number := numberMark.FindString(body); number != "" && mark == "" {
		mark, body = number, body[len(number):]
	}
	if bare := strings.TrimLeft(body, "#"); len(bare) < len(body) && strings.HasPrefix(bare, " ") {
		body, heading = strings.TrimSpace(bare), true
	}
	if rest, ok := strings.CutPrefix(body, "> "); ok {
		mark, body, style = mark+g.Border.Vertical+" ", rest, t.Muted
	}
	if heading {
		mark, style = "", t.Strong
		d.space()
	}
	d.indent = depth + ansi.StringWidth(mark)
	room := d.width - d.indent
	lead := ""
	if mark != "" {
		lead = t.Faint.Render(mark)
	}
	for i, line := range wrapSpans(d.inline.inline(Sanitize(body), style), room) {
		if i > 0 {
			lead = strings.Repeat(" ", d.indent-depth)
		}
		d.lines = append(d.lines, strings.Repeat(" ", depth)+lead+line)
	}
}

// wrapSpans breaks styled text into lines, at spaces alone if that is possible.
func wrapSpans(spans []span, width int) []string {
	width = max(width, 1)
	var lines []string
	line, used := "", 0
	for _, word := range words(spans) {
		w := 0
		for _, s := range word {
			w += ansi.StringWidth(s.text)
		}
		if used > 0 && used+1+w > width {
			lines, line, used = append(lines, line), "", 0
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		for _, s := range word {
			for rest := s.text; rest != ""; {
				if used >= width {
					lines, line, used = append(lines, line), "", 0
				}
				part := ansi.Truncate(rest, width-used, "")
				if part == "" && used > 0 { // a wide character that the line's end has no room for
					used = width
					continue
				}
				part = cmp.Or(part, rest)
				rest = rest[len(part):]
				line, used = line+s.style.Render(part), used+ansi.StringWidth(part)
			}
		}
	}
	return append(lines, line)
}

// words splits spans at spaces. A word may be of several spans.
func words(spans []span) [][]span {
	var all [][]span
	var word []span
	for _, s := range spans {
		parts := []string{s.text}
		if !s.whole {
			parts = strings.Split(s.text, " ")
		}
		for i, part := range parts {
			if i > 0 && len(word) > 0 {
				all, word = append(all, word), nil
			}
			if part != "" {
				word = append(word, span{text: part, style: s.style})
			}
		}
	}
	if len(word) > 0 {
		all = append(all, word)
	}
	return all
}
