package roamtext

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Node is a form with the forms inside it: in the content of emphasis and
// components, in the name of an attribute, in the label of an alias. Other forms
// have none.
type Node struct {
	Span
	Inside []Node
}

// Tree splits a text into forms, plain text included. They cover the text in order
// and without overlap; those inside a form cover it from its From to its To.
func Tree(text string) []Node {
	t := treeMaker{text: text, spans: Spans(text)}
	emphasized := strings.ContainsAny(text, emphasisSigns)
	if emphasized {
		t.findClosings()
	}
	return t.nodes(0, len(text), emphasized, 0)
}

// emphasisSigns stand twice on both sides of Bold, Italic, Highlight and Strike.
const emphasisSigns = "*_^~"

// treeMaker makes a tree of the spans of a text and the emphasis around them.
type treeMaker struct {
	text     string
	spans    []Span                    // not in the tree yet
	closings [len(emphasisSigns)][]int // the places of signs that may close, in order
	breaks   []int                     // the ends of lines before an empty line
}

// findClosings records the signs that may close an emphasis, which are outside of
// other forms and not behind a space, and the empty lines.
func (t *treeMaker) findClosings() {
	end := 0
	gap := func(until int) {
		for i := max(end, 1); i+1 < until; i++ {
			if k := signAt(t.text, i); k >= 0 {
				if before, _ := utf8.DecodeLastRuneInString(t.text[:i]); !unicode.IsSpace(before) {
					t.closings[k] = append(t.closings[k], i)
				}
			} else if t.text[i] == '\n' && t.text[i+1] == '\n' {
				t.breaks = append(t.breaks, i)
			}
		}
	}
	for _, span := range t.spans {
		gap(span.Start)
		end = max(end, span.End)
	}
	gap(len(t.text))
}

// signAt returns the index of the sign at i in emphasisSigns, or -1.
func signAt(text string, i int) int {
	if i+1 >= len(text) || text[i] != text[i+1] {
		return -1
	}
	return strings.IndexByte(emphasisSigns, text[i])
}

// nodes returns the nodes of text[from:to].
func (t *treeMaker) nodes(from, to int, emphasized bool, depth int) []Node {
	var out []Node
	at := from
	put := func(n Node) {
		if n.Start > at {
			out = append(out, Node{Span: Span{Text, at, n.Start, at, n.Start}})
		}
		out, at = append(out, n), n.End
	}
	for i := from; i < to; i = max(at, i+1) {
		if len(t.spans) > 0 && t.spans[0].Start == i {
			put(t.node(depth))
		} else if k := signAt(t.text[:to], i); k >= 0 && emphasized {
			if end, ok := t.closing(k, i, to); ok && depth < maxNesting {
				put(Node{Span{Bold + Kind(k), i, end + 2, i + 2, end}, t.nodes(i+2, end, true, depth+1)})
			}
		}
	}
	if at < to {
		out = append(out, Node{Span: Span{Text, at, to, at, to}})
	}
	return out
}

// node returns the node of the first span, and removes that span and those inside
// it.
func (t *treeMaker) node(depth int) Node {
	n := Node{Span: t.spans[0]}
	t.spans = t.spans[1:]
	switch n.Kind {
	case Attribute, Alias, Image, Component:
		n.Inside = t.nodes(n.From, n.To, false, depth+1)
	}
	for len(t.spans) > 0 && t.spans[0].Start < n.End {
		t.spans = t.spans[1:]
	}
	return n
}

// closing returns the place of the sign that closes the emphasis at i.
func (t *treeMaker) closing(k, i, to int) (int, bool) {
	if after, _ := utf8.DecodeRuneInString(t.text[i+2 : to]); unicode.IsSpace(after) {
		return 0, false
	}
	list := t.closings[k]
	n := sort.SearchInts(list, i+3)
	if n == len(list) || list[n]+2 > to {
		return 0, false
	}
	if b := sort.SearchInts(t.breaks, i); b < len(t.breaks) && t.breaks[b] < list[n] {
		return 0, false
	}
	return list[n], true
}
