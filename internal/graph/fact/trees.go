package fact

import (
	"context"
	"slices"

	"roam-mcp/internal/graph/roamtext"
)

// Trees reads what is to be deleted: pages and blocks with all below them, with the
// names of their other attributes, and the blocks and pages that refer to any of
// them, whose texts and titles Roam rewrites then. Referrers that are to go themselves
// are no referrers. Where a shortcut is to go, the list of shortcuts is read too.
//
// It asks Roam once, and again only for the neighbours of more than 24, where titles mention
// what is to be deleted, or for the list of shortcuts.
func Trees(ctx context.Context, ask Ask, uids []string) (State, Referrers, error) {
	read, err := Removing(ctx, ask, uids)
	return read.State, read.Referrers, err
}

// Removal is what Trees reads, and where it is.
type Removal struct {
	State     State
	Referrers Referrers
	Above     map[string][]string // texts of the blocks above each block that was asked for, by its uid
}

// Removing reads as Trees does.
func Removing(ctx context.Context, ask Ask, uids []string) (Removal, error) {
	r, above := read(ask), map[string][]string{}
	for wanted := uids; len(wanted) > 0; wanted = r.namesakes() {
		found, err := r.near(ctx, removedPattern, wanted)
		if err != nil {
			return Removal{}, err
		}
		for i := range found {
			above[found[i].uid] = textsAbove(&found[i])
			if err := r.tree(&found[i], found[i].fact(), r.remove); err != nil {
				return Removal{}, err
			}
		}
		if err := r.families(ctx, found, len(wanted)); err != nil {
			return Removal{}, err
		}
		if err := r.gone(wanted); err != nil {
			return Removal{}, err
		}
	}
	state, referrers, err := r.referred(ctx)
	return Removal{state, referrers, above}, err
}

func textsAbove(p *pulled) []string {
	var texts []string
	for _, above := range p.above {
		if above.text != nil {
			texts = append(texts, *above.text)
		}
	}
	return texts
}

// remove adds what refers to an entity that is to be deleted.
func (r *reading) remove(p *pulled) error {
	r.going[p.uid] = true
	return r.refer(p)
}

// Pages reads what a new title of pages changes: the pages, and all that refers to
// them, directly or since its title is rewritten.
func Pages(ctx context.Context, ask Ask, uids []string) (State, Referrers, error) {
	r := read(ask)
	found, err := pull(ctx, ask, titledPattern, byUID, uids)
	if err != nil {
		return State{}, nil, err
	}
	for i := range found {
		if err := r.withReferrers(&found[i]); err != nil {
			return State{}, nil, err
		}
	}
	if err := r.gone(uids); err != nil {
		return State{}, nil, err
	}
	return r.referred(ctx)
}

// Merging reads what the merge of a page into the one that has a title changes: Pages
// of it, with the names of its other attributes and the blocks that move, and the
// other page. Where there is no other page, it is Pages.
func Merging(ctx context.Context, ask Ask, uid, into string) (State, Referrers, error) {
	others, err := pull(ctx, ask, manyPattern, byTitle, []string{into})
	if err != nil {
		return State{}, nil, err
	}
	if len(others) == 0 || others[0].uid == uid {
		return Pages(ctx, ask, []string{uid})
	}
	r := read(ask)
	other := others[0].fact()
	other.Children = inOrder(others[0].children)
	if err := r.add(other); err != nil {
		return State{}, nil, err
	}
	found, err := pull(ctx, ask, mergedPattern, byUID, []string{uid})
	if err != nil {
		return State{}, nil, err
	}
	for i := range found {
		r.going[uid] = true
		if err := r.withReferrers(&found[i]); err != nil {
			return State{}, nil, err
		}
		if err := r.below(&found[i]); err != nil {
			return State{}, nil, err
		}
	}
	if err := r.gone([]string{uid}); err != nil {
		return State{}, nil, err
	}
	return r.referred(ctx)
}

// withReferrers adds what was pulled of a page, and what refers to it.
func (r *reading) withReferrers(p *pulled) error {
	f := p.fact()
	f.Children = inOrder(p.children)
	if err := r.add(f); err != nil {
		return err
	}
	return r.refer(p)
}

// below adds the direct children of a page.
func (r *reading) below(page *pulled) error {
	family := inOrder(page.children)
	for i, child := range sortChildren(page.children) {
		below := child.fact()
		below.Parent, below.Page = page.uid, page.uid
		below.Left, below.Right = neighbours(family, i)
		if err := r.add(below); err != nil {
			return err
		}
	}
	return nil
}

// refer adds what refers to an entity, as it was pulled with it.
func (r *reading) refer(p *pulled) error {
	r.followed[p.uid] = true
	for i := range p.referrers {
		from := &p.referrers[i]
		if from.uid == "" {
			continue
		}
		known := r.referrers[from.uid]
		if known == nil {
			known = &Referrer{UID: from.uid}
			r.referrers[from.uid] = known
			f := from.fact()
			if f.IsPage() { // its children may come to lie elsewhere
				f.Children = inOrder(from.children)
			}
			if err := r.add(f); err != nil {
				return err
			}
			known.PageTitle, known.Above = pageTitle(from), textsAbove(from)
		}
		if !slices.Contains(known.To, p.uid) {
			known.To = append(known.To, p.uid)
		}
	}
	return nil
}

func pageTitle(p *pulled) string {
	for _, each := range []*pulled{p, p.page} {
		if each != nil && each.title != nil {
			return *each.title
		}
	}
	return ""
}

// namesakes returns the uids of pages that go with a page that is to be deleted: those
// whose title is nothing but a mention of it, so that they become a part of it first.
func (r *reading) namesakes() []string {
	var uids []string
	for uid, referrer := range r.referrers {
		if !r.followed[uid] && slices.ContainsFunc(referrer.To, func(to string) bool { return slices.Contains(Namesakes(r.things[uid].Title), r.things[to].Title) }) {
			uids = append(uids, uid)
		}
	}
	return uids
}

// Namesakes returns the titles of the pages that a title is nothing but a mention of: with one of
// them the page which has it goes, too.
func Namesakes(title string) (of []string) {
	for _, span := range roamtext.References(title) {
		if span.Start == 0 && span.End == len(title) && span.Kind != roamtext.BlockRef {
			of = append(of, span.Content(title))
		}
	}
	return of
}

// referred adds what refers to pages that refer to a thing, since their titles are
// rewritten too, and returns all that was read.
func (r *reading) referred(ctx context.Context) (State, Referrers, error) {
	for {
		var pages []string
		for uid := range r.referrers {
			if r.things[uid].IsPage() && !r.followed[uid] {
				pages = append(pages, uid)
			}
		}
		if len(pages) == 0 {
			break
		}
		found, err := pull(ctx, r.ask, titledPattern, byUID, pages)
		if err != nil {
			return State{}, nil, err
		}
		for i := range found {
			if err := r.withReferrers(&found[i]); err != nil {
				return State{}, nil, err
			}
		}
		for _, uid := range pages {
			r.followed[uid] = true // also one that has gone meanwhile
		}
	}
	if err := r.maybeShortcuts(ctx); err != nil {
		return State{}, nil, err
	}
	return r.state(), r.allReferrers(), nil
}

// maybeShortcuts reads the list of shortcuts where one of them is to go, or may, since
// its title becomes that of another page.
func (r *reading) maybeShortcuts(ctx context.Context) error {
	for uid, f := range r.things {
		if f.Shortcut != nil && (r.going[uid] || r.referrers[uid] != nil) {
			return r.listShortcuts(ctx)
		}
	}
	return nil
}

// allReferrers returns those that are not to go themselves.
func (r *reading) allReferrers() Referrers {
	var all Referrers
	for _, uid := range sorted(r.referrers) {
		if !r.going[uid] {
			all = append(all, *r.referrers[uid])
		}
	}
	return all
}
