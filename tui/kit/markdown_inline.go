package kit

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
)

// inlineForm is one form of markup inside a block: the pattern at the start of
// the rest of the text, and the spans for what it has matched.
type inlineForm struct {
	pattern *regexp.Regexp
	// wordStart: the form begins where no word goes on.
	wordStart bool
	spans     func(d inliner, match []string, style lipgloss.Style) []span
}

// inliner parts the text of blocks into spans.
type inliner struct {
	theme      Theme
	forms      []inlineForm
	colourless bool
}

// maxFormless is how many signs of markup that begin nothing a text may have;
// what comes after them stays as it is written. It bounds the work on a text
// that is made to be slow.
const maxFormless = 64

// inlineForms are Roam's: bold, italics (in both spellings), highlight, strike,
// code, tasks, page links, tags, block references, aliases and addresses. Links
// keep their brackets, so that they can be told without colours too.
func inlineForms() []inlineForm {
	within := func(change func(lipgloss.Style) lipgloss.Style) func(inliner, []string, lipgloss.Style) []span {
		return func(d inliner, match []string, style lipgloss.Style) []span {
			return d.inline(match[1], change(style))
		}
	}
	around := func(open, end string, of func(Theme) lipgloss.Style) func(inliner, []string, lipgloss.Style) []span {
		return func(d inliner, match []string, _ lipgloss.Style) []span {
			return []span{{text: open, style: d.theme.Faint}, {text: match[1], style: of(d.theme)}, {text: end, style: d.theme.Faint}}
		}
	}
	link := func(t Theme) lipgloss.Style { return t.Link }
	bold := func(s lipgloss.Style) lipgloss.Style { return s.Bold(true) }
	italic := func(s lipgloss.Style) lipgloss.Style { return s.Italic(true) }
	form := func(pattern string, spans func(inliner, []string, lipgloss.Style) []span) inlineForm {
		return inlineForm{pattern: regexp.MustCompile(`^(?:` + pattern + `)`), spans: spans}
	}
	atWord := func(f inlineForm) inlineForm { f.wordStart = true; return f }
	return []inlineForm{
		form("`([^`]+)`", codeSpans),
		form(`\*\*(\S(?:.*?\S)?)\*\*`, within(bold)),
		form(`__(\S(?:.*?\S)?)__`, within(italic)),
		form(`\^\^(.+?)\^\^`, highlightSpans),
		// Underlined and struck text comes out of lipgloss in single characters,
		// which breaks composed ones, so the signs stay instead.
		form(`~~(.+?)~~`, around("~~", "~~", func(t Theme) lipgloss.Style { return t.Faint })),
		atWord(form(`\*([^*\s](?:[^*]*[^*\s])?)\*`, within(italic))),
		form(`\{\{(?:\[\[)?(TODO|DONE)(?:\]\])?\}\}`, taskSpans),
		form(`!?\[([^\[\]]+)\]\(([^()]*(?:\(\([^()]*\)\))?[^()]*)\)`, aliasSpans),
		form(`\[\[((?:[^\[\]]|\[\[[^\[\]]*\]\])+)\]\]`, around("[[", "]]", link)),
		atWord(form(`#\[\[([^\[\]]+)\]\]`, around("#[[", "]]", link))),
		atWord(form(`#([\pL\pN_][\pL\pN_/.:-]*[\pL\pN_/-]|[\pL\pN_])`, around("#", "", link))),
		form(`\(\([^()\s]+\)\)<ref>(.*?)</ref>`, around("", "", link)),
		form(`\(\(([^()\s]+)\)\)`, around("((", "))", link)),
		atWord(form(`(https?://[^\s<>]*[^\s<>.,;:)\]])`, around("", "", link))),
	}
}

// codeSpans keep the backticks only where no colour stands for them.
func codeSpans(d inliner, match []string, _ lipgloss.Style) []span {
	code := span{text: match[1], style: d.theme.AccentMuted}
	if !d.colourless {
		return []span{code}
	}
	tick := span{text: "`", style: d.theme.Faint}
	return []span{tick, code, tick}
}

func highlightSpans(d inliner, match []string, style lipgloss.Style) []span {
	return d.inline(match[1], style.Background(d.theme.Colors.Selection))
}

func taskSpans(d inliner, match []string, _ lipgloss.Style) []span {
	if match[1] == "DONE" {
		return []span{{text: "[x]", style: d.theme.Success}}
	}
	return []span{{text: "[ ]", style: d.theme.Accent, whole: true}}
}

// aliasSpans show the words of a link, and where it leads unless that is a place
// inside Roam.
func aliasSpans(d inliner, match []string, _ lipgloss.Style) []span {
	out := []span{{text: match[1], style: d.theme.Link}}
	if target := match[2]; strings.Contains(target, "://") && target != match[1] {
		out = append(out, span{text: " (" + target + ")", style: d.theme.Faint})
	}
	return out
}

// inline parts the text of a block into spans.
func (d inliner) inline(text string, style lipgloss.Style) []span {
	var out []span
	from, last, formless := 0, ' ', 0
	for at := 0; at < len(text) && formless < maxFormless; {
		var spans []span
		length := 0
		if begins(text[at:]) {
			if spans, length = d.formAt(text[at:], last, style); length == 0 {
				formless++
			}
		}
		if length == 0 {
			r, size := utf8.DecodeRuneInString(text[at:])
			last, at = r, at+size
			continue
		}
		if at > from {
			out = append(out, span{text: text[from:at], style: style})
		}
		out = append(out, spans...)
		at += length
		from, last = at, ' '
	}
	if from < len(text) {
		out = append(out, span{text: text[from:], style: style})
	}
	return out
}

// begins reports whether a form may begin with the text.
func begins(text string) bool {
	return strings.IndexByte("`*_^~{[!#(", text[0]) >= 0 || strings.HasPrefix(text, "http")
}

// formAt is the form that the text begins with; length 0 for none.
func (d inliner) formAt(text string, last rune, style lipgloss.Style) (spans []span, length int) {
	for _, f := range d.forms {
		if f.wordStart && (unicode.IsLetter(last) || unicode.IsDigit(last)) {
			continue
		}
		if match := f.pattern.FindStringSubmatch(text); match != nil {
			return f.spans(d, match, style), len(match[0])
		}
	}
	return nil, 0
}
