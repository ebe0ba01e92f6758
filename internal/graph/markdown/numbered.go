package markdown

import (
	"strings"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/lazyregexp"
)

// NumberedLists are the blocks of a document with its numbered lists as Roam has them: by a
// property of the block that holds a list, and without numbers in the texts (LOCAL_API.md 9.5).
type NumberedLists struct {
	Blocks []outline.Block // those at the top have their numbers
	Top    []outline.Block // those at the top are a list, too; nil if they are none
	Mixed  bool            // whether there are numbers that make no list
}

// NumberedLists returns the numbered lists of the document: two or more blocks side by side, all
// with numbers, from 1 up or all 1. oneAtTop and oneBelow say that one block alone with the
// number 1 is a list as well, at the top or below the first block.
func (d Document) NumberedLists(oneAtTop, oneBelow bool) NumberedLists {
	var l NumberedLists
	l.Blocks = l.read(d.root.children, false, oneBelow)
	if l.isList(d.root.children, oneAtTop) {
		l.Top = l.read(d.root.children, true, oneBelow)
	}
	return l
}

// read returns the blocks of branches, without their numbers if they are a list. one says that
// one block below the first of them may be a list.
func (l *NumberedLists) read(branches []*branch, list, one bool) []outline.Block {
	var out []outline.Block
	for _, each := range branches {
		b := each.block
		if list {
			b.String = leadingNumber.ReplaceAllString(b.String, "")
			if mark, rest := cutHeading(b.String); mark != "" && b.Heading == 0 {
				b.Heading, b.String = min(strings.IndexAny(mark, " \t"), 3), rest
			}
		}
		below := l.isList(each.children, one)
		if below {
			b.ChildrenViewType = "numbered"
		}
		b.Children = append(b.Children, l.read(each.children, below, false)...)
		out = append(out, b)
	}
	return out
}

var leadingNumber = lazyregexp.New(`^\d{1,9}[.)][ \t]+`)

// isList reports whether branches side by side are a list. one says that one alone may be.
func (l *NumberedLists) isList(branches []*branch, one bool) bool {
	numbers, inOrder := 0, true
	for i, each := range branches {
		if each.number > 0 {
			numbers++
		}
		inOrder = inOrder && (each.number == i+1 || each.number == 1)
	}
	if numbers < 2 && !(one && len(branches) == 1 && numbers == 1) {
		return false
	}
	l.Mixed = l.Mixed || !inOrder
	return inOrder
}
