package markdown

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// readLines reads the check boxes and the backslashes at the start of lines. numbered says that
// the first line begins with a number.
func readLines(lines []line, numbered bool) {
	for i := range lines {
		if lines[i].kept {
			continue
		}
		text := &lines[i].text
		number := ""
		if i == 0 && numbered {
			number = numberLine.FindStringSubmatch(*text)[2]
		}
		task, isTask := readBox((*text)[len(number):])
		switch {
		case i == 0 && isTask:
			*text = number + task
		case i == 0:
			*text = unescapeStart(*text)
		default:
			*text = unescapeLine(*text)
		}
		*text = readControls(*text)
	}
}

func unescapeStart(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	if m := startForm.FindStringSubmatchIndex(text); m != nil {
		return withoutSlash(text, m[2], m[3])
	}
	return unescapeLine(text)
}

func unescapeLine(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	_, from, to, _ := escapable(text)
	return withoutSlash(text, from, to)
}

// escapable returns the construct that a line begins, or would without its backslashes, and
// where these are, or would be. ok is true for an empty line as well, which is none.
func escapable(text string) (c *construct, from, to int, ok bool) {
	if m := blankForm.FindStringSubmatchIndex(text); m != nil {
		return nil, m[2], m[3], true
	}
	c, from, to = constructOf(text)
	return c, from, to, c != nil
}

func withoutSlash(text string, from, to int) string {
	if from == to {
		return text
	}
	return text[:from] + text[from+1:]
}

func withSlash(text string, at int) string { return text[:at] + `\` + text[at:] }

// The components of a task, as Roam writes them, and the check boxes of Markdown.
const (
	todo, done       = "{{[[TODO]]}}", "{{[[DONE]]}}"
	openBox, tickBox = "[ ]", "[x]"
	tickBoxCapital   = "[X]"
)

// readBox returns a text that begins with a check box with Roam's component in place of it.
func readBox(text string) (string, bool) {
	for _, box := range [...]struct{ mark, roam string }{{openBox, todo}, {tickBox, done}, {tickBoxCapital, done}} {
		if rest, ok := strings.CutPrefix(text, box.mark); ok && (rest == "" || rest[0] == ' ') {
			return box.roam + rest, true
		}
	}
	return text, false
}

// showBox is the inverse of readBox.
func showBox(text string) (string, bool) {
	for _, box := range [...]struct{ mark, roam string }{{openBox, todo}, {tickBox, done}} {
		if rest, ok := strings.CutPrefix(text, box.roam); ok && (rest == "" || rest[0] == ' ') {
			return box.mark + rest, true
		}
	}
	return text, false
}

// Characters that a text can't have, and what is shown behind a backslash in their place. Of
// a literal sign of these each backslash in front is shown twice.
var (
	controlForm = lazyregexp.New(`\\*[\r\x00]|\\+[␍␀]`)
	shownForm   = lazyregexp.New(`\\+[␍␀]`)
)

func showControls(text string) string {
	if !strings.ContainsAny(text, "\r\x00␍␀") {
		return text
	}
	return controlForm.ReplaceAllStringFunc(text, func(s string) string {
		sign := strings.TrimLeft(s, `\`)
		slashes := strings.Repeat(s[:len(s)-len(sign)], 2)
		switch sign {
		case "\r":
			return slashes + `\␍`
		case "\x00":
			return slashes + `\␀`
		}
		return slashes + sign
	})
}

func readControls(text string) string {
	if !strings.ContainsAny(text, "␍␀") {
		return text
	}
	return shownForm.ReplaceAllStringFunc(text, func(s string) string {
		sign := strings.TrimLeft(s, `\`)
		slashes := len(s) - len(sign)
		switch {
		case slashes%2 == 0:
		case sign == "␍":
			sign = "\r"
		default:
			sign = "\x00"
		}
		return s[:slashes/2] + sign
	})
}

var (
	tagForm  = lazyregexp.New(`<(\\*)(?:/?ref>|roam)`)
	signForm = lazyregexp.New(`(\\*)(\*+|_+)`)
)

// inlineEscapes returns the runs of backslashes, empty ones too, before what would be a tag of a
// read, and before single signs of emphasis.
func inlineEscapes(text string) (tags, signs roamtext.Ranges) {
	if strings.IndexByte(text, '<') >= 0 {
		code := roamtext.CodeRanges(text)
		for _, m := range tagForm.FindAllStringSubmatchIndex(text, -1) {
			if !code.Contain(m[1] - 1) {
				tags = append(tags, roamtext.Range{Start: m[2], End: m[3]})
			}
		}
	}
	for _, gap := range plainRanges(text) {
		for _, m := range signForm.FindAllStringSubmatchIndex(text[gap.Start:gap.End], -1) {
			if m[5]-m[4] == 1 {
				signs = append(signs, roamtext.Range{Start: gap.Start + m[2], End: gap.Start + m[3]})
			}
		}
	}
	return tags, signs
}

// escapeInline puts a backslash wherever unescapeInline would take one, and wherever a tag or
// emphasis would be read.
func escapeInline(text string) string {
	if !strings.ContainsAny(text, "<*_") {
		return text
	}
	tags, signs := inlineEscapes(text)
	if !slices.ContainsFunc(signs, hasSlashes) && roamtext.FromMarkdown(text) == text {
		signs = nil
	}
	var edits []roamtext.Edit
	for _, run := range inOrder(tags, signs) {
		edits = append(edits, roamtext.Edit{Range: roamtext.Range{Start: run.End, End: run.End}, Text: `\`})
	}
	return roamtext.Apply(text, edits)
}

func unescapeInline(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var edits []roamtext.Edit
	for _, run := range inOrder(inlineEscapes(text)) {
		if hasSlashes(run) {
			edits = append(edits, roamtext.Edit{Range: roamtext.Range{Start: run.Start, End: run.Start + 1}})
		}
	}
	return roamtext.Apply(text, edits)
}

func hasSlashes(run roamtext.Range) bool { return run.Start < run.End }

// inOrder returns the ranges of both lists in the order of the text.
func inOrder(a, b roamtext.Ranges) roamtext.Ranges {
	return slices.SortedFunc(slices.Values(slices.Concat(a, b)), func(a, b roamtext.Range) int { return a.Start - b.Start })
}

// plainRanges returns what lies outside of all forms, and in the labels of aliases and
// images. Stars at the end of a tag count as outside.
func plainRanges(text string) roamtext.Ranges {
	if !strings.ContainsAny(text, "*_") {
		return nil
	}
	var out roamtext.Ranges
	at := 0
	for _, span := range roamtext.Spans(text) {
		if span.Start < at {
			continue
		}
		out = append(out, roamtext.Range{Start: at, End: span.Start})
		switch at = span.End; span.Kind {
		case roamtext.Alias, roamtext.Image:
			out = append(out, roamtext.Range{Start: span.From, End: span.To})
		case roamtext.Tag:
			at = span.Start + len(strings.TrimRight(text[span.Start:span.End], "*"))
		}
	}
	return append(out, roamtext.Range{Start: at, End: len(text)})
}
