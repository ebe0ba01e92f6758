package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/graphdb/outline"
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

func importer(ctx context.Context, a *asking) (string, error) {
	if err := a.made.add(nil, nil, "©"); err != nil { // what entities stand for
		return "", err
	}
	homes, want := map[string]string{}, map[string][]string{}
	for _, each := range samples() {
		home, err := a.home(ctx)
		if err == nil {
			home, err = a.create(ctx, home, a.text(each.kind))
		}
		if err != nil {
			return "", err
		}
		homes[each.kind] = home
		for _, text := range each.texts {
			text = strings.ReplaceAll(text, "R", a.made.Run)
			_, err := a.write(ctx, "data.block.fromMarkdown", object{"location": object{"parent-uid": home, "order": "last"}, "markdown-string": text})
			if err != nil && !refused(err) {
				return "", err
			}
			want[each.kind] = append(want[each.kind], treeOf(outline.ParseMarkdown(text), 0)...)
		}
	}
	var parts []string
	for _, each := range samples() {
		got, err := a.tree(ctx, homes[each.kind])
		if err != nil {
			return "", err
		}
		if !slices.Equal(got, want[each.kind]) {
			a.deviates(&parts, each.kind)
		}
	}
	return a.several(parts)
}

// treeOf returns blocks and all that is below them, a line each: depth, heading and text.
func treeOf(blocks []outline.Block, depth int) (lines []string) {
	for _, b := range blocks {
		lines = append(lines, line(depth, b.Heading, b.String))
		lines = append(lines, treeOf(b.Children, depth+1)...)
	}
	return lines
}

func line(depth, heading int, text string) string { return fmt.Sprint(depth, " ", heading, " ", text) }

// tree returns what is below a block, as treeOf does.
func (a *asking) tree(ctx context.Context, root string) ([]string, error) {
	rows, err := a.rows(ctx, `[:find ?pu ?u ?s ?o :where [?r :block/uid `+quote(root)+`] [?b :block/parents ?r] [?p :block/children ?b] [?p :block/uid ?pu] [?b :block/uid ?u] [?b :block/string ?s] [?b :block/order ?o]]`)
	if err != nil {
		return nil, err
	}
	headings, err := a.rows(ctx, `[:find ?u ?h :where [?r :block/uid `+quote(root)+`] [?b :block/parents ?r] [?b :block/uid ?u] [?b :block/heading ?h]]`)
	if err != nil {
		return nil, err
	}
	heading, below := map[string]int{}, map[string][]block{}
	for _, row := range headings {
		if len(row) == 2 {
			heading[unquoted(row[0])] = number(row[1])
		}
	}
	for _, row := range rows {
		if len(row) == 4 {
			parent := unquoted(row[0])
			below[parent] = append(below[parent], block{unquoted(row[1]), unquoted(row[2]), number(row[3])})
		}
	}
	var lines []string
	var walk func(uid string, depth int)
	walk = func(uid string, depth int) {
		kids := below[uid]
		delete(below, uid) // also where somebody has made a circle
		slices.SortFunc(kids, func(a, b block) int { return a.order - b.order })
		for _, kid := range kids {
			lines = append(lines, line(depth, heading[kid.uid], kid.text))
			walk(kid.uid, depth+1)
		}
	}
	walk(root, 0)
	return lines, nil
}

func literal(ctx context.Context, a *asking) (string, error) {
	run := a.made.Run
	texts := []struct{ part, text string }{
		{"blanks", "  " + run + "  one  "},
		{"crlf", run + "\r\none"},
		{"tab", run + "\tone\t"},
		{"nbsp", run + "\u00a0one"},
		{"emoji", run + " 👍🏽 one"},
		{"long", strings.Repeat(run+" ", 100<<10/(runLength+1)) + "one"},
	}
	parent, err := a.home(ctx)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, each := range texts {
		uid, err := a.literally(ctx, parent, each.text)
		if err != nil {
			return "", err
		}
		created, err := a.textOf(ctx, uid)
		if err != nil {
			return "", err
		}
		again := strings.TrimSuffix(each.text, "one") + "two one"
		if each.part == "blanks" {
			again = "  two" + each.text
		}
		if _, err := a.write(ctx, "data.block.update", object{"block": object{"uid": uid, "string": again}}); err != nil && !refused(err) {
			return "", err
		}
		wrote := a.latest()
		updated, err := a.textOf(ctx, uid)
		if err != nil {
			return "", err
		}
		if created != each.text || updated != again {
			if a.decisive == nil {
				a.decisive = &wrote
			}
			parts = append(parts, each.part)
		}
	}
	return a.several(parts)
}

// literally makes a block with a text that Roam may store otherwise, and returns its uid.
func (a *asking) literally(ctx context.Context, parent, text string) (string, error) {
	uid, err := a.create(ctx, parent, a.text("one"))
	if err != nil || a.uids != honoured {
		if err == nil {
			_, err = a.write(ctx, "data.block.update", object{"block": object{"uid": uid, "string": text}})
		}
		return uid, err
	}
	if uid, err = a.uid(); err != nil {
		return "", err
	}
	return uid, a.createAs(ctx, parent, uid, text)
}
