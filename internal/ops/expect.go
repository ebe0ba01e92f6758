package ops

import (
	"cmp"
	"context"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/ops/shown"
)

// checkShown returns the check of a write: that the blocks which it changes have the text that
// they were shown with.
func (g sender) checkShown(w Write) func(ctx context.Context, before *fact.State) error {
	if page, ok := w.(PageUpdate); ok {
		return page.checkTitle
	}
	updates, _ := w.(BlockUpdates)
	if one, ok := w.(BlockUpdate); ok {
		updates = BlockUpdates{one}
	}
	var uids []string
	for _, u := range updates {
		if u.Shown != nil {
			uids = append(uids, u.UID)
		}
	}
	return func(ctx context.Context, before *fact.State) error {
		if len(uids) == 0 {
			return nil
		}
		texts := map[string]string{}
		if before != nil {
			for uid, each := range before.Things {
				texts[uid] = each.Text
			}
		} else {
			var err error
			if texts, _, err = g.reads().texts(ctx, uids); err != nil {
				return err
			}
		}
		var changed []shown.Changed
		for _, u := range updates {
			if now, known := texts[u.UID]; known && u.meets(now) {
				changed = append(changed, u.met(now))
			}
		}
		if len(changed) > 0 {
			return shown.TextConflict(changed)
		}
		return nil
	}
}

// meets reports whether a text is neither the one that the block was shown with nor the one that
// it is to have.
func (u BlockUpdate) meets(now string) bool {
	return u.Shown != nil && !sameText(now, *u.Shown) && (u.String == nil || now != *u.String)
}

// met returns what an error tells of a block that has another text now. Whoever changes no text
// sends the one that it was shown with.
func (u BlockUpdate) met(now string) shown.Changed {
	return shown.Changed{UID: u.UID, Shown: *u.Shown, Sent: cmp.Or(u.String, u.Shown), Now: &now}
}

// sameText reports whether two texts differ in nothing but blanks and the signs of a
// heading, of which a read may show others than are stored.
func sameText(a, b string) bool {
	bare := func(text string) string { return strings.Join(strings.Fields(strings.TrimLeft(text, "# ")), " ") }
	return a == b || bare(a) == bare(b)
}
