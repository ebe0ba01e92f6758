package ops

import (
	"context"
	"strings"

	"roam-mcp/history/fact"
	"roam-mcp/mcpserve/shown"
)

// checkShown returns the check of a write: that the blocks of which it changes the text have
// the text that they were shown with.
func (g sender) checkShown(w Write) func(ctx context.Context, before *fact.State) error {
	updates, _ := w.(BlockUpdates)
	if one, ok := w.(BlockUpdate); ok {
		updates = BlockUpdates{one}
	}
	var uids []string
	for _, u := range updates {
		if u.Shown != nil && u.String != nil {
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
		} else if read, _, err := g.reads().texts(ctx, uids); err == nil {
			texts = read
		} else if !LacksAction(err) { // a Roam that answers no queries can't be asked
			return err
		}
		var changed []shown.Changed
		for _, u := range updates {
			now, known := texts[u.UID]
			if known && u.Shown != nil && u.String != nil && !sameText(now, *u.Shown) && now != *u.String {
				changed = append(changed, shown.Changed{UID: u.UID, Shown: *u.Shown, Sent: u.String, Now: &now})
			}
		}
		if len(changed) > 0 {
			return shown.ChangedText(changed)
		}
		return nil
	}
}

// sameText reports whether two texts differ in nothing but blanks and the signs of a
// heading, of which a read may show others than are stored.
func sameText(a, b string) bool {
	bare := func(text string) string { return strings.Join(strings.Fields(strings.TrimLeft(text, "# ")), " ") }
	return a == b || bare(a) == bare(b)
}
