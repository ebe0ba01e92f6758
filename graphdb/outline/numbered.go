package outline

import (
	"strings"

	"roam-mcp/internal/lazyregexp"
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
	root       *branchNode
}

// FindNumberedLists looks for the numbered lists in a markdown text.
func FindNumberedLists(markdown string) NumberedLists {
	p := &parser{lines: markdownLines(markdown)}
	p.read()
	root := p.nest()
	found := NumberedLists{lines: p.lines, root: root, Topmost: len(root.children)}
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

// WithOneAtTop returns the lists with the block at the top among them where it is one alone
// with the number 1: such a number is part of a text unless a list is wanted.
func (l NumberedLists) WithOneAtTop() NumberedLists {
	if !l.oneIn(l.root) {
		return l
	}
	with := l
	with.Top, with.top = true, []item{l.root.children[0].item}
	return with.ifSameTree(l)
}

// WithOneBelowTop is WithOneAtTop for what is below the first block.
func (l NumberedLists) WithOneBelowTop() NumberedLists {
	if l.root == nil || len(l.root.children) == 0 || !l.oneIn(l.root.children[0]) {
		return l
	}
	first, with := l.root.children[0], l
	with.below = append(l.below[:len(l.below):len(l.below)], first.children[0].item)
	with.Holders, with.Children = append([]int{0}, l.Holders...), append([]int{1}, l.Children...)
	return with.ifSameTree(l)
}

// oneIn reports whether a node has one child alone, with the number 1.
func (l NumberedLists) oneIn(n *branchNode) bool {
	return n != nil && len(n.children) == 1 && n.children[0].item.number == 1
}

// ifSameTree returns l if its text makes the same tree without the numbers, else other.
func (l NumberedLists) ifSameTree(other NumberedLists) NumberedLists {
	if blockCount(ParseMarkdown(l.Bulleted(true))) != l.Blocks {
		return other
	}
	return l
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

var numberMark = lazyregexp.New(`^([ \t]*)\d{1,9}[.)][ \t]+`)

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
