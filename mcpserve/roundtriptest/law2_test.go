package roundtriptest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testTexts creates as many texts with each tool that creates, and holds what is made to the
// second law.
func testTexts(t *testing.T, first, count int) {
	for n, way := range creations() {
		t.Run(way.profile+" "+way.tool, func(t *testing.T) {
			failed := 0
			for from := 0; from < count && failed == 0; from += batch {
				texts := make([]markdown, min(batch, count-from))
				for i := range texts {
					texts[i] = newMaker(first + 1<<20 + n + (from+i)*len(creations())).markdown()
				}
				failed += reportTexts(t, way, texts)
			}
		})
	}
}

// reportTexts prints what is wrong with what a tool makes of texts, shrunk, and counts it.
func reportTexts(t *testing.T, way creation, texts []markdown) int {
	t.Helper()
	byText := map[string]markdown{}
	var sent []string
	for _, each := range texts {
		byText[each.text] = each
		sent = append(sent, each.text)
	}
	failed := 0
	printed := map[string]bool{}
	for i, why := range created(t, way, sent, func(text string, made []stored) string { return secondLaw(way, byText[text], made) }) {
		if why == "" {
			continue
		}
		if failed++; len(printed) == mostPrinted {
			continue
		}
		least := texts[i].text
		if failed <= *mostShrunk {
			least, why = shrunkText(t, way, texts[i], why)
		}
		if !printed[least] {
			printed[least] = true
			t.Errorf("%q\n     %s", least, why)
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d texts fail", failed, len(texts))
	}
	return failed
}

// secondLaw says what of a text is not in what was made of it.
func secondLaw(way creation, of markdown, made []stored) string {
	texts := textsIn(made)
	if way.exact {
		if len(texts) != 1 || texts[0] != of.text {
			return fmt.Sprintf("exact: stored is %q", texts)
		}
		return ""
	}
	if lost := missing(of.text, texts); lost != "" {
		return fmt.Sprintf("letters: %s\n     made %q", lost, texts)
	}
	at := 0
	for _, part := range of.parts {
		for ; at < len(texts) && !strings.Contains(texts[at], part.verbatim); at++ {
		}
		if at == len(texts) {
			return fmt.Sprintf("verbatim: %q is in no block\n     made %q", part.verbatim, texts)
		}
	}
	if of.is != nil && way.tool != "create_note without a title" {
		if got, want := shapeOf(made), of.is.shape(); got != want {
			return fmt.Sprintf("blocks: %s", firstDifference(got, want))
		}
	}
	return ""
}

var fenceRow = regexp.MustCompile("^(?:`{3,}|~{3,})")

// sameForm returns a text in which the rows of a fence say nothing of mark and length, and tasks
// are as Markdown has them: profiles differ in that.
func sameForm(text string) string {
	lines := strings.Split(strings.NewReplacer("{{[[TODO]]}}", "[ ]", "{{[[DONE]]}}", "[x]").Replace(text), "\n")
	for i, line := range lines {
		if fenceRow.MatchString(line) && i < len(lines)-1 && fenceRow.MatchString(lines[len(lines)-1]) {
			lines[i] = fenceRow.ReplaceAllString(line, "fence ")
			lines[len(lines)-1] = "fence"
			break
		}
	}
	return strings.Join(lines, "\n")
}

// ownLines are those that wiki and notes put in front.
var ownLines = regexp.MustCompile(`^ h0 "(?:Title:: A title|Note type:: text)"\n`)

// shapeOf is lines of texts in the same form.
func shapeOf(blocks []stored) string {
	var same func(blocks []stored) []stored
	same = func(blocks []stored) (list []stored) {
		for _, b := range blocks {
			list = append(list, stored{Text: sameForm(b.Text), Heading: b.Heading, Children: same(b.Children)})
		}
		return list
	}
	return lines(same(blocks))
}

// shape is shapeOf of what a tree says.
func (t tree) shape() string {
	var blocks func(t tree) []stored
	blocks = func(t tree) (list []stored) {
		for _, b := range t {
			list = append(list, stored{Text: b.Text, Heading: b.Heading, Children: blocks(b.Below)})
		}
		return list
	}
	return shapeOf(blocks(t))
}

// shrunkText takes away as much as can be while the text fails by the same.
func shrunkText(t *testing.T, way creation, failing markdown, why string) (string, string) {
	t.Helper()
	holds := func(of func(tree) markdown) check {
		return func(t testing.TB, trees []tree) []string {
			byText, texts := map[string]markdown{}, []string{}
			for _, each := range trees {
				said := of(each)
				byText[said.text] = said
				texts = append(texts, said.text)
			}
			return created(t, way, texts, func(text string, made []stored) string { return secondLaw(way, byText[text], made) })
		}
	}
	text := func(t tree) markdown { return markdown{text: t[0].Text} }
	document := func(t tree) markdown {
		var parts []part
		for _, b := range t {
			parts = append(parts, failing.parts[slices.IndexFunc(failing.parts, func(p part) bool { return p.text == b.Text })])
		}
		return documentOf(parts)
	}
	switch kind := kindOf(why); {
	case failing.is != nil && kind == "blocks":
		least, why := shrunk(t, failing.is, why, simpler, holds(outlineOf))
		return outlineOf(least).text, why
	case kind == "verbatim":
		var t0 tree
		for _, each := range failing.parts {
			t0 = append(t0, block{Text: each.text})
		}
		least, why := shrunk(t, t0, why, func(string) []string { return nil }, holds(document))
		return document(least).text, why
	}
	least, why := shrunk(t, tree{{Text: failing.text}}, why, lesserTexts, holds(text))
	return least[0].Text, why
}

// simpler returns a word, and a fence without one of its rows that are neither at its ends nor
// beside them: what Markdown has one reading of, as the text before.
func simpler(text string) []string {
	list := []string{"word"}
	lines := strings.Split(text, "\n")
	for i := 2; i < len(lines)-2 && fenceRow.MatchString(text); i++ {
		list = append(list, strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n"))
	}
	return list
}
