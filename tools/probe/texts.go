package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
)

// sample is a kind of markdown that parsers read differently, with texts of it. R stands for
// the run's own word, and no text has what belongs to another kind.
type sample struct {
	kind  string
	texts []string
}

func samples() []sample {
	return []sample{
		{"entities", []string{"R one &amp; two", "- R one &lt; two", "R &copy; one", "- R &quot;one&quot;", "R one &nbsp; two"}},
		{"tags", []string{"R one <b>two</b>", "- R <u>one</u>", "R one <T> two", "<div>R one</div>", "- R one <br> two"}},
		{"comments", []string{"R one <!-- two -->", "- R <!-- one --> two", "<!-- R one -->"}},
		{"definitions", []string{"[R]: https://one.example/two", "- [R one]: https://one.example", "R two\n\n[R three]: https://one.example \"two\""}},
		{"quotes", []string{"> R one", "- > R one", "> R one\n> R two", "> R one\nR two"}},
		{"rules", []string{"R one\n\n---\n\nR two", "R one\n\n***\n\nR two", "R one\n\n___\n\nR two"}},
		{"setext", []string{"R one\n===", "R one\n======\n\nR two", "R one\nR two\n==="}},
		{"escapes", []string{"R \\[one\\]", "- R \\_one\\_", "R \\> one", "R one\\\\two"}},
		{"fences", []string{"```\nR one\n```", "~~~\nR one\n~~~", "````\nR one\n````", "```text\nR one\n\nR two\n```", "- ```\n  R one\n  ```", "R one\n```\nR two\n```"}},
		{"numbers", []string{"1. R one\n2. R two", "1) R one", "7. R one", "- R one\n  1. R two", "R one\n1. R two"}},
		{"tables", []string{"| R one | R two |\n|---|---|\n| R three | R four |", "R one | R two\n---|---\nR three | R four"}},
		{"emphasis", []string{"R *one*", "R _one_", "R __one__", "R **one**", "- R ***one***", "R one_two_three", "R ~~one~~", "- R *one **two***"}},
		{"breaks", []string{"R one  \nR two", "R one\nR two", "- R one\n  R two", "- R one  \n  R two", "R one   ", "R one\n\n\nR two", "- R one\n\n- R two", "- R one\n\n  R two"}},
	}
}

func importer(ctx context.Context, a *asking) string {
	a.list(nil, nil, "©") // what an entity stands for
	homes, want := map[string]string{}, map[string][]string{}
	for _, each := range samples() {
		home := a.make(ctx, a.home(ctx), a.say(each.kind))
		homes[each.kind] = home
		for _, text := range each.texts {
			text = strings.ReplaceAll(text, "R", a.made.Run)
			a.try(ctx, "data.block.fromMarkdown", object{"location": at(home, "last"), "markdown-string": text})
			want[each.kind] = append(want[each.kind], treeOf(markdown.Importer(text), 0)...)
		}
	}
	for _, each := range samples() {
		if !slices.Equal(a.tree(ctx, homes[each.kind]), want[each.kind]) {
			a.deviates(each.kind)
		}
	}
	return a.several()
}

// treeOf returns blocks and all that is below them, a line each: depth and text.
func treeOf(blocks []outline.Block, depth int) (lines []string) {
	for _, b := range blocks {
		lines = append(lines, fmt.Sprint(depth, " ", b.String))
		lines = append(lines, treeOf(b.Children, depth+1)...)
	}
	return lines
}

// tree returns what is below a block, as treeOf does.
func (a *asking) tree(ctx context.Context, root string) (lines []string) {
	kids := map[string][]block{}
	for _, row := range a.rows(ctx, "?pu ?u ?s ?o", `[?r :block/uid `+quote(root)+`] [?b :block/parents ?r] [?b :block/uid ?u] [?p :block/children ?b] [?p :block/uid ?pu] [?b :block/string ?s] [?b :block/order ?o]`) {
		kids[unquoted(row[0])] = append(kids[unquoted(row[0])], block{unquoted(row[1]), unquoted(row[2]), number(row[3])})
	}
	var walk func(uid string, depth int)
	walk = func(uid string, depth int) {
		here := kids[uid]
		delete(kids, uid) // also where Roam has made a circle
		slices.SortFunc(here, func(a, b block) int { return a.order - b.order })
		for _, kid := range here {
			lines = append(lines, fmt.Sprint(depth, " ", kid.text))
			walk(kid.uid, depth+1)
		}
	}
	walk(root, 0)
	return lines
}

// longText is how many bytes a long text has.
const longText = 100 << 10

func literal(ctx context.Context, a *asking) string {
	run := a.made.Run
	for _, each := range []struct{ part, text, again string }{
		{"blanks", "  " + run + "  one  ", "   " + run + "  two  "},
		{"crlf", run + "\r\none", run + "\r\ntwo"},
		{"tab", run + "\tone\t", run + "\ttwo\t"},
		{"nbsp", run + "\u00a0one", run + "\u00a0two"},
		{"emoji", run + " 👍🏽 one", run + " 👍🏽 two"},
		{"long", run + strings.Repeat(" x", longText/2) + " one", run + strings.Repeat(" x", longText/2) + " two"},
	} {
		parent, uid := a.home(ctx), a.fresh()
		if !a.honours { // then only updates can be asked about
			uid = a.make(ctx, parent, a.say("one"))
			a.update(ctx, uid, each.text)
		} else if !a.createAs(ctx, parent, uid, each.text) {
			a.deviates(each.part)
			continue
		}
		created := a.text(ctx, uid)
		if created == each.text {
			a.try(ctx, "data.block.update", part(uid, "string", each.again))
		}
		if created != each.text || a.text(ctx, uid) != each.again {
			a.deviates(each.part)
		}
	}
	return a.several()
}
