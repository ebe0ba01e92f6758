package note

import (
	"slices"
	"strings"

	"roam-mcp/graphdb/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// Backslashes in the content of a note say that what follows is Roam's text and not
// markdown. Escape and unescape put and take one each:
//
//   - at the start of a line before a bullet, a heading, a rule, a fence or the rule of a
//     table, and behind a number: "\- x", "1\. x"
//   - at the start of a text before a blank, and on an empty line, but for formulas
//   - before a check box at the start of a text: "\[ ] x"
//   - before a single * or _, which Roam's importer takes for emphasis
//   - before | in a link: [[a \| b]] is the page "a | b", [[a|b]] the page "a" as "b"
//   - in <ref>, </ref> and <roam, which reads add: "<\ref>"
//
// Before anything else a backslash is itself. Nothing is escaped in code.
var (
	lineMark   = lazyregexp.New("^[ \t]*(\\\\*)(?:[-*+](?:[ \t]|$)|#{1,6}[ \t]|```|(?:-{3,}|\\*{3,}|_{3,})[ \t]*$|[-:| \t]*[-|][-:| \t]*$)")
	blankMark  = lazyregexp.New(`^[\pZ\t\v\f\x{85}]*(\\*)$`)
	numberMark = lazyregexp.New(`^[ \t]*\d{1,9}(\\*)[.)](?:[ \t]|$)`)
	textMark   = lazyregexp.New(`^(\\*)(?:\[[ xX]\] |[ \t\f])`)
	tagMark    = lazyregexp.New(`<(\\*)(?:/?ref>|roam)`)
	pipeMark   = lazyregexp.New(`(\\*)\|`)
	signMark   = lazyregexp.New(`(\\*)(\*+|_+)`)
)

// escapes returns the places before which a text has backslashes that say that what
// follows is Roam's text, or could have, in order: the start and the end of the run.
func escapes(text string) [][2]int {
	var out [][2]int
	add := func(at int, m []int) {
		if m != nil {
			out = append(out, [2]int{at + m[2], at + m[3]})
		}
	}
	code, math := roamtext.CodeRanges(text), formulas(text)
	at := 0
	for line := range strings.SplitSeq(text, "\n") {
		if !code.Contain(at) || startsAt(code, at) {
			switch m := textMark.FindStringSubmatchIndex(line); {
			case at == 0 && m != nil:
				add(at, m)
			default:
				add(at, lineMark.FindStringSubmatchIndex(line))
				if !math.Contain(at) { // where \\ is a line break
					add(at, blankMark.FindStringSubmatchIndex(line))
				}
				add(at, numberMark.FindStringSubmatchIndex(line))
			}
		}
		at += len(line) + 1
	}
	for _, m := range tagMark.FindAllStringSubmatchIndex(text, -1) {
		if !code.Contain(m[1] - 1) {
			add(0, m)
		}
	}
	for _, gap := range plainRanges(text) {
		for _, m := range signMark.FindAllStringSubmatchIndex(text[gap.Start:gap.End], -1) {
			if m[5]-m[4] == 1 {
				add(gap.Start, m)
			}
		}
	}
	for _, link := range pageLinks(text) {
		for _, m := range pipeMark.FindAllStringSubmatchIndex(link.Content(text), -1) {
			add(link.From, m)
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return a[1] - b[1] })
	return slices.CompactFunc(out, func(a, b [2]int) bool { return a[1] == b[1] })
}

// formulas returns the ranges of $$…$$.
func formulas(text string) (out roamtext.Ranges) {
	if !strings.Contains(text, "$$") {
		return nil
	}
	end := 0
	for _, span := range roamtext.Spans(text) {
		if span.Kind == roamtext.Math && span.Start >= end {
			out, end = append(out, roamtext.Range{Start: span.Start, End: span.End}), span.End
		}
	}
	return out
}

// startsAt reports whether one of the ranges starts at a byte.
func startsAt(ranges roamtext.Ranges, i int) bool {
	n, ok := slices.BinarySearchFunc(ranges, i, func(r roamtext.Range, i int) int { return r.Start - i })
	return ok && ranges[n].Start == i
}

// escape puts a backslash wherever unescape would take one, and wherever markdown would
// read something; before fences only if asked to.
func escape(text string, fences bool) string {
	var b strings.Builder
	at := 0
	for _, run := range escapes(text) {
		if !fences && run[0] == run[1] && strings.HasPrefix(text[run[1]:], "```") {
			continue
		}
		b.WriteString(text[at:run[1]])
		b.WriteByte('\\')
		at = run[1]
	}
	return b.String() + text[at:]
}

// unescape takes away what escape puts.
func unescape(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, run := range escapes(text) {
		if run[0] < run[1] && run[0] >= at {
			b.WriteString(text[at:run[0]])
			at = run[0] + 1
		}
	}
	return b.String() + text[at:]
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

// pageLinks returns the links [[…]] of a text that are in no other link and hold none.
func pageLinks(text string) []roamtext.Span {
	if !strings.Contains(text, "[[") || strings.IndexByte(text, '|') < 0 {
		return nil
	}
	var out []roamtext.Span
	end := 0
	for _, ref := range roamtext.References(text) {
		if ref.Kind == roamtext.Attribute || ref.Start < end {
			continue
		}
		if end = ref.End; ref.Kind == roamtext.PageLink && !strings.Contains(ref.Content(text), "[[") {
			out = append(out, ref)
		}
	}
	return out
}
