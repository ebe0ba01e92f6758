package probe

import (
	"context"
	"slices"
)

// Clean removes what earlier probes of a graph have left, and returns what is still there.
// It leaves what a probe that runs has made.
func Clean(ctx context.Context, o Options) (left []Left, removed int, err error) {
	lists, err := leftLists(o.Folder, o.Graph)
	if err != nil {
		return nil, 0, err
	}
	for _, made := range lists {
		r := &run{sender: newSender(o, made, maxRequests), options: o}
		r.wrote.Store(true) // so it is taken: what was killed tells nothing
		still := r.cleanUp(ctx)
		left = append(left, still...)
		if len(still) == 0 {
			removed++
		}
	}
	return left, removed, nil
}

// cleanUp removes what the run made and returns what is still there. The list stays until
// nothing is.
func (r *run) cleanUp(ctx context.Context) []Left {
	ctx, cancel := context.WithTimeout(ctx, cleaningLimit)
	defer cancel()
	if !r.wrote.Load() {
		_ = r.made.remove() // a list of nothing does no harm
		return nil
	}
	r.allow(keptForCleaning)
	left, err := r.removePages(ctx, r.made.Titles...)
	if err == nil {
		var strayed []Left
		strayed, err = r.removeStrays(ctx, left)
		left = append(left, strayed...)
	}
	if err != nil && len(left) == 0 {
		left = []Left{{Title: r.title("")}} // nobody can tell
	}
	if len(left) == 0 && r.made.remove() == nil {
		return nil
	}
	r.made.release()
	return left
}

// allow has further requests sent, also to a Roam that seemed to be gone.
func (s *sender) allow(more int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit, s.silent = max(s.limit, min(s.sent+more, s.most)), 0
}

func (s *sender) state() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent >= brokenOff {
		return errGone
	}
	return nil
}

// removePages removes the pages with these titles, unless somebody else wrote on them or
// refers to them, and returns those that are still there.
func (r *run) removePages(ctx context.Context, titles ...string) (left []Left, err error) {
	const rounds = 3 // a deletion that leaves links makes their pages anew
	var kept []string
	for range min(rounds, len(titles)*rounds) { // none for no titles
		pages, err := r.pagesTitled(ctx, titles...)
		if err != nil {
			return nil, err
		}
		// Outer titles come before those in them.
		slices.SortStableFunc(pages, func(a, b block) int { return len(b.text) - len(a.text) })
		left, kept = nil, kept[:0]
		for _, page := range pages {
			foreign, err := r.foreign(ctx, page.uid)
			if err != nil {
				return nil, err
			}
			left = append(left, Left{Title: page.text, Foreign: foreign})
			if foreign {
				kept = append(kept, page.uid)
				continue
			}
			if err := r.made.add([]string{page.uid}, nil); err != nil {
				return nil, err
			}
			if _, err := r.write(ctx, "data.page.delete", object{"page": object{"uid": page.uid}}); err != nil && !refused(err) {
				return left, err
			}
		}
		if len(kept) == len(pages) {
			return left, nil
		}
	}
	return left, nil
}

// foreign reports whether somebody else wrote on a page, or refers to something on it.
func (r *run) foreign(ctx context.Context, page string) (bool, error) {
	blocks, err := r.blocks(ctx, `[:find ?u ?s :where [?p :block/uid `+quote(page)+`] [?b :block/page ?p] [?b :block/uid ?u] [?b :block/string ?s]]`)
	if err != nil || !r.allOurs(blocks) {
		return err == nil, err
	}
	const find = `[:find ?u ?s :where [?p :block/uid `
	for _, refers := range []string{`[?b :block/refs ?p]`, `[?e :block/page ?p] [?b :block/refs ?e]`} {
		blocks, err := r.blocks(ctx, find+quote(page)+`] `+refers+` [?b :block/uid ?u] [?b :block/string ?s]]`)
		if err != nil || !r.allOurs(blocks) {
			return err == nil, err
		}
	}
	return false, nil
}

func (r *run) allOurs(blocks []block) bool {
	return !slices.ContainsFunc(blocks, func(b block) bool { return !r.made.ours(b.text) })
}

// removeStrays removes blocks of the run that are on no page of it.
func (r *run) removeStrays(ctx context.Context, pages []Left) (left []Left, err error) {
	const atOnce = 100
	for uids := range slices.Chunk(slices.Clone(r.made.UIDs), atOnce) {
		blocks, err := r.blocks(ctx, `[:find ?u ?s :where `+either(`[?b :block/uid %s]`, uids)+` [?b :block/uid ?u] [?b :block/string ?s]]`)
		if err != nil {
			return left, err
		}
		if len(blocks) > 0 && len(pages) > 0 {
			on, err := r.onPages(ctx, pages)
			if err != nil {
				return left, err
			}
			blocks = slices.DeleteFunc(blocks, func(b block) bool { return on[b.uid] })
		}
		for _, b := range blocks {
			still, err := r.removeStray(ctx, b)
			if err != nil {
				return left, err
			}
			left = append(left, still...)
		}
	}
	return left, nil
}

// onPages returns the uids of the blocks on pages that stay.
func (r *run) onPages(ctx context.Context, left []Left) (map[string]bool, error) {
	on := map[string]bool{}
	for _, page := range left {
		blocks, err := r.blocks(ctx, `[:find ?u ?s :where [?p :node/title `+quote(page.Title)+`] [?b :block/page ?p] [?b :block/uid ?u] [?b :block/string ?s]]`)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			on[b.uid] = true
		}
	}
	return on, nil
}

// removeStray removes one block with all that is below it, unless something of it is
// somebody else's.
func (r *run) removeStray(ctx context.Context, b block) ([]Left, error) {
	blocks, err := r.below(ctx, b.uid)
	if err != nil {
		return nil, err
	}
	if !r.allOurs(append(blocks, b)) {
		return []Left{{Title: r.say("…"), Foreign: true}}, nil
	}
	_, err = r.write(ctx, "data.block.delete", object{"block": object{"uid": b.uid}})
	if err == nil || refused(err) {
		var still []block
		if still, err = r.blocks(ctx, `[:find ?u ?s :where [?b :block/uid `+quote(b.uid)+`] [?b :block/uid ?u] [?b :block/string ?s]]`); err == nil && len(still) == 0 {
			return nil, nil
		}
	}
	return []Left{{Title: b.text}}, err
}

// disturbed returns the blocks of the run's page that somebody else changed, or below which
// somebody else wrote, by uid.
func (r *run) disturbed(ctx context.Context) map[string]bool {
	found := map[string]bool{}
	const find = `[:find ?u ?s :where [?p :block/uid `
	for _, where := range []string{`[?h :block/uid ?u] [?h :block/string ?s]`, `[?h :block/uid ?u] [?b :block/parents ?h] [?b :block/string ?s]`} {
		blocks, err := r.blocks(ctx, find+quote(r.page)+`] [?p :block/children ?h] `+where+`]`)
		if err != nil {
			return found // the run has ended, or Roam has gone: nobody can tell
		}
		for _, b := range blocks {
			if !r.made.ours(b.text) {
				found[b.uid] = true
			}
		}
	}
	return found
}
