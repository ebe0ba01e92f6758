package fact

import (
	"context"
	"slices"

	"roam-mcp/internal/graph/roamtext"
)

// Made reads what a write has made that returned the uids of its topmost blocks, or of
// its page: them with all below them, the blocks and pages above that were made on the
// way, and the pages that Roam made because they or further titles are mentioned. since
// and until, in ms, are when it was sent and when its reply came. made are the uids of
// what the write itself made, and implied those of pages that were made by mentions.
//
// It asks Roam once, and again for each of: the neighbours of more than 24, blocks and pages
// above that were made, mentions, and pages that were made by them.
func Made(ctx context.Context, ask Ask, tops, titles []string, since, until int64) (s State, made, implied []string, err error) {
	r := read(ask)
	found, err := r.near(ctx, madePattern, tops)
	if err != nil {
		return State{}, nil, nil, err
	}
	topmost := map[string]bool{}
	for _, uid := range tops {
		topmost[uid] = true
	}
	var above []string
	for i := range found {
		for _, a := range found[i].above {
			if since <= a.created && a.created <= until && a.uid != "" {
				above = append(above, a.uid)
			}
		}
		earliest := since
		if found[i].created > 0 {
			earliest = min(since, found[i].created)
		}
		err := r.tree(&found[i], found[i].fact(), func(p *pulled) error {
			// What is below a block that was made was made with it, where times are missing or of
			// another clock.
			if earliest <= p.created && p.created <= until || p.created == 0 || topmost[p.uid] {
				made = append(made, p.uid)
			}
			return nil
		})
		if err != nil {
			return State{}, nil, nil, err
		}
	}
	if err := r.families(ctx, found, len(tops)); err != nil {
		return State{}, nil, nil, err
	}
	if err := r.gone(tops); err != nil { // what somebody deleted meanwhile
		return State{}, nil, nil, err
	}
	above = slices.Compact(slices.Sorted(slices.Values(above)))
	if err := r.several(ctx, above); err != nil {
		return State{}, nil, nil, err
	}
	made = append(made, above...)
	slices.Sort(made)
	made = slices.Compact(made)
	texts := slices.Clone(titles)
	for _, uid := range made {
		texts = append(texts, r.things[uid].Title, r.things[uid].Text)
	}
	implied, err = r.implied(ctx, since, until, Mentions(texts...))
	implied = slices.DeleteFunc(implied, func(uid string) bool { _, ours := slices.BinarySearch(made, uid); return ours })
	return r.state(), made, implied, err
}

// Again reads once more all that is in a state, to learn what a change has left. It
// adds the children of pages that were merged into others, and the pages that Roam made
// in [since, until], in ms, because texts and titles that have changed mention them.
func Again(ctx context.Context, ask Ask, before State, since, until int64) (s State, implied []string, err error) {
	r := read(ask)
	if err := r.several(ctx, sorted(before.Things)); err != nil {
		return State{}, nil, err
	}
	var moved []string
	var texts []string
	for uid, was := range before.Things {
		now := r.things[uid]
		if now.Gone {
			for _, child := range was.Children {
				if _, known := r.things[child]; !known {
					moved = append(moved, child)
				}
			}
		}
		if now.Title != was.Title || now.Text != was.Text {
			texts = append(texts, now.Title, now.Text, was.Title, was.Text) // the last for pages that came to be on the way
		}
	}
	if err := r.several(ctx, moved); err != nil {
		return State{}, nil, err
	}
	if before.Shortcuts != nil {
		if err := r.listShortcuts(ctx); err != nil {
			return State{}, nil, err
		}
	}
	if r.rewroteWhatWent(before) {
		implied, err = r.pagesMade(ctx, since, until)
	} else {
		implied, err = r.implied(ctx, since, until, Mentions(texts...))
	}
	return r.state(), implied, err
}

// rewroteWhatWent reports whether of the blocks that are gone now one mentioned another:
// that may have gone first, so that Roam wrote its text into the other one, and made the
// pages that nothing mentions any more.
func (r *reading) rewroteWhatWent(before State) bool {
	for uid, was := range before.Things {
		if !r.things[uid].Gone {
			continue
		}
		for _, span := range roamtext.References(was.Text) {
			if other := span.Content(was.Text); span.Kind == roamtext.BlockRef && r.things[other].Gone {
				return true
			}
		}
	}
	return false
}

// pagesMade adds all pages that were made in [since, until].
func (r *reading) pagesMade(ctx context.Context, since, until int64) ([]string, error) {
	rows, err := query[created](ctx, r.ask, `[:find ?u ?c :in $ ?since :where [?p :node/title] [?p :create/time ?c] [(>= ?c ?since)] [?p :block/uid ?u]]`, since)
	if err != nil {
		return nil, err
	}
	return r.madeBy(ctx, rows, since, until)
}
