package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/textsafe"
)

// seen implements seeker.
func (b NewBlock) seen(ctx context.Context, look verifier, since int64) effect {
	return BlockCreations{b}.seen(ctx, look, since)
}

// seen implements seeker: each block is there, with its text and below its parent.
func (b BlockCreations) seen(ctx context.Context, look verifier, _ int64) effect {
	found, err := b.rows(ctx, look)
	if err != nil {
		return unseen(err)
	}
	there := 0
	var others []string
	for _, each := range b {
		now, ok := found[each.UID]
		switch {
		case !ok || now.parent != each.ParentUID:
			continue
		case now.text != each.Block.String:
			others = append(others, fmt.Sprintf("the text of %s is %s", textsafe.Quote(each.UID), textsafe.Quote(textsafe.Line(now.text, 300))))
		}
		there++
	}
	switch {
	case there < len(b):
		return effect{applied: Unknown, said: fmt.Sprintf("Of %d blocks %d are there, with the uids that were made for them and below their parents.", len(b), there)}
	case len(others) > 0:
		return effect{applied: Yes, said: "Not as it was sent: " + strings.Join(others, ", ") + "."}
	}
	return effect{applied: Yes}
}

// placed is where a block stands, and its text.
type placed struct{ text, parent string }

// rows reads those blocks that are there, by uid.
func (b BlockCreations) rows(ctx context.Context, look verifier) (map[string]placed, error) {
	rows, err := look.rows(ctx, `[:find ?u ?s ?p :in $ [?u ...] :where [?e :block/uid ?u] [?e :block/string ?s] [?c :block/children ?e] [?c :block/uid ?p]]`, b.uids())
	found := map[string]placed{}
	for _, row := range rows {
		if len(row) == 3 {
			uid, _ := row[0].(string)
			text, _ := row[1].(string)
			parent, _ := row[2].(string)
			found[uid] = placed{text, parent}
		}
	}
	return found, err
}

// seen implements seeker.
func (s NewShortcut) seen(ctx context.Context, look verifier, _ int64) effect {
	switch applied, evidence := s.find(ctx, look, 0); {
	case applied == Yes:
		return effect{applied: Yes}
	case applied == No:
		return effect{applied: Unknown, said: evidence}
	default:
		return effect{applied: Yes, said: evidence}
	}
}

// seen implements seeker: a page that is merged goes into the other one.
func (u PageUpdate) seen(ctx context.Context, look verifier, _ int64) effect {
	applied, evidence := u.find(ctx, look, 0)
	if u.Merge && evidence == mayBeMerged {
		return effect{applied: Yes}
	}
	return effectOfFind(applied, evidence)
}

// seen implements seeker.
func (s ShortcutRemoval) seen(ctx context.Context, look verifier, _ int64) effect {
	list, err := look.shortcuts(ctx)
	switch {
	case err != nil:
		return unseen(err)
	case slices.Contains(list, s.PageUID):
		return effect{applied: Unknown, said: "The page is still among the shortcuts."}
	}
	return effect{applied: Yes}
}

// seen implements seeker.
func (r FileRemoval) seen(ctx context.Context, look verifier, _ int64) effect {
	if applied, evidence := r.find(ctx, look, 0); applied == No {
		return effect{applied: Unknown, said: evidence}
	}
	return effect{applied: Yes}
}
