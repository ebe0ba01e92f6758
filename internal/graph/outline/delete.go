package outline

import (
	"slices"

	"roam-mcp/internal/graph/graphdb"
)

// DeleteBlock removes a block and everything below it; references to them
// elsewhere become their text, and the siblings close up. It gives false where
// no such block exists.
func (w *Writer) DeleteBlock(uid string) (bool, error) {
	e, err := w.block(uid)
	if e == 0 {
		if IsNotFound(err) {
			return false, nil
		}
		return false, err
	}
	if err := w.stampPage(e); err != nil {
		return false, err
	}
	if err := w.detach(e); err != nil {
		return false, err
	}
	return true, w.remove(Subtree(w.tx, e))
}

// DeletePage removes a page and its tree. Mentions of the page elsewhere, in
// titles too, become plain text, references to its blocks their text. It gives
// false where no such page exists.
func (w *Writer) DeletePage(uid string) (bool, error) {
	e, err := w.page(uid)
	if e == 0 {
		if IsNotFound(err) {
			return false, nil
		}
		return false, err
	}
	// The tree goes first: its texts, put elsewhere, may mention the page too.
	if err := w.remove(Subtree(w.tx, e)[1:]); err != nil {
		return false, err
	}
	title := w.tx.String(e, graphdb.NodeTitle)
	if err := w.unlink(e, title); err != nil {
		return false, err
	}
	// A page titled "[[P]]" has become part of P just now, so the tree may have
	// grown again.
	return true, w.remove(Subtree(w.tx, e))
}

// unlink takes the mentions of a page that is deleted out of texts.
func (w *Writer) unlink(page graphdb.EID, title string) error {
	return w.rewrite(w.tx.Reverse(graphdb.BlockRefs, page), func(s string) string { return UnlinkPage(s, title) })
}

// remove retracts entities after putting their text in place of the references
// that others make to them.
func (w *Writer) remove(gone []graphdb.EID) error {
	texts := map[string]string{}
	var referrers []graphdb.EID
	for _, e := range gone {
		texts[w.tx.String(e, graphdb.BlockUID)] = TextOf(w.tx, e)
		referrers = append(referrers, w.tx.Reverse(graphdb.BlockRefs, e)...)
	}
	slices.Sort(referrers)
	referrers = except(slices.Compact(referrers), gone)
	if err := w.rewrite(referrers, func(s string) string { return inline(s, texts) }); err != nil {
		return err
	}
	for _, e := range gone {
		w.words.add(e, -1)
		w.noteAttribute(e)
	}
	for _, e := range gone {
		delete(w.families, e)
		if err := w.tx.RetractEntity(e); err != nil {
			return err
		}
	}
	return nil
}

// inline replaces references by texts, and those in the texts too. Blocks that
// refer to each other in a circle end it after a few rounds, and so does a text
// that doubles at each.
func inline(s string, texts map[string]string) string {
	const rounds, most = 8, 1 << 20
	for range rounds {
		next := ReplaceBlockRefs(s, func(uid string) (string, bool) {
			text, ok := texts[uid]
			return text, ok
		})
		if next == s || len(next) > most && len(next) > 2*len(s) {
			break
		}
		s = next
	}
	return s
}

// except gives the entities that are not in the second list.
func except(list, without []graphdb.EID) []graphdb.EID {
	skip := make(map[graphdb.EID]bool, len(without))
	for _, e := range without {
		skip[e] = true
	}
	return slices.DeleteFunc(list, func(e graphdb.EID) bool { return skip[e] })
}

// rewrite changes the texts of blocks and the titles of pages. Titles go first, and the
// shortest of them, so that what names a page finds it under its new name.
func (w *Writer) rewrite(entities []graphdb.EID, change func(string) string) error {
	pages := slices.DeleteFunc(slices.Clone(entities), func(e graphdb.EID) bool { return !IsPage(w.tx, e) })
	length := func(e graphdb.EID) int { return len(w.tx.String(e, graphdb.NodeTitle)) }
	slices.SortStableFunc(pages, func(a, b graphdb.EID) int { return length(a) - length(b) })
	for _, e := range pages {
		title := w.tx.String(e, graphdb.NodeTitle)
		if to := change(title); to != title && to != "" {
			if err := w.retitle(e, to, true); err != nil {
				return err
			}
		}
	}
	for _, e := range entities {
		text, ok := w.tx.Get(e, graphdb.BlockString)
		if !ok {
			continue
		}
		if to := change(text.Text()); to != text.Text() {
			if err := w.setText(e, to); err != nil {
				return err
			}
			if err := w.stampEdited(e); err != nil {
				return err
			}
		}
	}
	return nil
}
