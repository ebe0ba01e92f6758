package outline

import (
	"regexp"
	"strings"
)

// NumberedLists are the numbered lists of a markdown text. Roam keeps their numbers
// in the text (LOCAL_API.md 9.5); what it calls a numbered list is a property of the
// block that holds it.
type NumberedLists struct {
	Blocks   int   // number of blocks that the text makes
	Topmost  int   // number of those at the top
	Top      bool  // whether those at the top are a list: two or more, all with numbers, from 1 up
	Holders  []int // the blocks whose children are one, by their place in reading order, from 0
	Children []int // for each holder the number of its children
	Mixed    bool  // whether there are numbers that make no list

	lines      []string
	top, below []item
}

// FindNumberedLists looks for the numbered lists in a markdown text.
func FindNumberedLists(markdown string) NumberedLists {
	p := &parser{lines: markdownLines(markdown)}
	p.read()
	root := p.nest()
	found := NumberedLists{lines: p.lines, Topmost: len(root.children)}
	found.Top = found.judge(root, &found.top)
	for _, child := range root.children {
		found.walk(child)
	}
	if len(found.top)+len(found.below) > 0 && blockCount(ParseMarkdown(found.Bulleted(true))) != found.Blocks {
		found.Mixed = true // such as code right behind a number, which is code only behind a hyphen
		found.Top, found.Holders, found.Children, found.top, found.below = false, nil, nil, nil, nil
	}
	return found
}

func (l *NumberedLists) walk(n *branchNode) {
	at := l.Blocks
	l.Blocks += 1 + blockCount(n.block.Children)
	if l.judge(n, &l.below) {
		l.Holders, l.Children = append(l.Holders, at), append(l.Children, len(n.children))
	}
	for _, child := range n.children {
		l.walk(child)
	}
}

// judge reports whether the children of a node are a list, and adds them to it then.
func (l *NumberedLists) judge(n *branchNode, list *[]item) bool {
	numbers, inOrder := 0, true
	for i, child := range n.children {
		if child.item.number > 0 {
			numbers++
		}
		inOrder = inOrder && (child.item.number == i+1 || child.item.number == 1)
	}
	if numbers < 2 {
		return false
	}
	if !inOrder {
		l.Mixed = true
		return false
	}
	for _, child := range n.children {
		*list = append(*list, child.item)
	}
	return true
}

func blockCount(blocks []Block) int {
	n := len(blocks)
	for _, b := range blocks {
		n += blockCount(b.Children)
	}
	return n
}

var numberMark = regexp.MustCompile(`^([ \t]*)\d{1,9}[.)][ \t]+`)

// Bulleted returns the text with a hyphen for each number of the lists, with top of
// that at the top as well. It makes the same tree.
func (l NumberedLists) Bulleted(top bool) string {
	lines := append([]string{}, l.lines...)
	items := l.below
	if top && l.Top {
		items = append(items[:len(items):len(items)], l.top...)
	}
	for _, it := range items {
		lines[it.from] = numberMark.ReplaceAllString(lines[it.from], "$1- ")
		for i := it.from + 1; i < it.to; i++ {
			if strings.HasPrefix(lines[i], strings.Repeat(" ", it.content)) {
				lines[i] = lines[i][it.content-it.column-2:]
			}
		}
	}
	return strings.Join(lines, "\n")
}
