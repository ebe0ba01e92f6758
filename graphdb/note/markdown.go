package note

import (
	"fmt"
	"strconv"

	"roam-mcp/graphdb/outline"
)

// Markdown returns the text that Roam's importer (data.block.fromMarkdown) reads back to
// exactly these blocks: texts, headings and nesting. Uids are not written. It is an error
// if there is none, or if a block has a view, an alignment, properties or folded
// children, which no markdown says; such blocks are created one by one.
func Markdown(blocks []outline.Block) (string, error) {
	text := outline.Markdown(blocks)
	if err := outline.CheckMarkdown(text); err != nil {
		return "", err
	}
	got := outline.ParseMarkdown(text)
	if b := firstOther(got, blocks); b != nil {
		return "", &outline.Error{Code: outline.CodeInvalid, Message: fmt.Sprintf("Markdown can't say the block %s as it is.", quoted(b.String))}
	}
	return text, nil
}

// sameTrees reports whether trees have the same texts, headings and nesting.
func sameTrees(a, b []outline.Block) bool { return firstOther(a, b) == nil }

// firstOther returns the first block of want that got does not have, or has beside
// another; nil where both are the same.
func firstOther(got, want []outline.Block) *outline.Block {
	for i := range want {
		w := &want[i]
		if i >= len(got) || got[i].String != w.String || got[i].Heading != w.Heading ||
			w.Collapsed || w.TextAlign != "" || w.ChildrenViewType != "" || w.BlockViewType != "" || w.Props != "" {
			return w
		}
		if other := firstOther(got[i].Children, w.Children); other != nil {
			return other
		}
		if len(got[i].Children) > len(w.Children) {
			return w
		}
	}
	if len(got) > len(want) {
		return &got[len(want)]
	}
	return nil
}

// quoted cuts long texts, for messages.
func quoted(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return strconv.Quote(text)
}
