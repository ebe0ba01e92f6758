package fact

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
)

// maxNear is for how many things the siblings come with each of them.
const maxNear = 25

// Things reads pages and blocks. Those that do not exist are Gone. It asks Roam once
// for up to 25 of them, and twice for more.
func Things(ctx context.Context, ask Ask, uids []string) (State, error) {
	r := read(ask)
	err := r.several(ctx, uids)
	return r.state(), err
}

// several adds things, and Gone facts of those that do not exist.
func (r *reading) several(ctx context.Context, uids []string) error {
	pattern := thingPattern
	if len(uids) > maxNear {
		pattern = manyPattern
	}
	found, err := pull(ctx, r.ask, pattern, byUID, uids)
	if err != nil {
		return err
	}
	for i := range found {
		f := found[i].fact()
		f.Children = inOrder(found[i].children)
		if err := r.add(f); err != nil {
			return err
		}
	}
	if len(uids) > maxNear {
		if err := r.families(ctx, found); err != nil {
			return err
		}
	}
	return r.gone(uids)
}

// families adds the neighbours of things, each list of siblings being read once.
func (r *reading) families(ctx context.Context, found []pulled) error {
	parents := map[string]bool{}
	for i := range found {
		if f := r.things[found[i].uid]; f.Parent != "" {
			parents[f.Parent] = true
		}
	}
	read, err := pull(ctx, r.ask, familyPattern, byUID, sorted(parents))
	if err != nil {
		return err
	}
	for i := range read {
		family := inOrder(read[i].children)
		for at, uid := range family {
			if f, there := r.things[uid]; there && f.Parent == read[i].uid {
				f.Left, f.Right = neighbours(family, at)
				r.things[uid] = f
			}
		}
	}
	return nil
}

// Shortcuts reads the list of shortcuts, and no things.
func Shortcuts(ctx context.Context, ask Ask) (State, error) {
	rows, err := query[placed](ctx, ask, `[:find ?n ?p ?u :where [?p :page/sidebar ?n] [?p :block/uid ?u]]`)
	if err != nil {
		return State{}, err
	}
	slices.SortFunc(rows, func(a, b placed) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.page, b.page)) })
	list := make([]string, len(rows))
	for i := range rows {
		list[i] = rows[i].uid
	}
	return State{Things: map[string]Fact{}, Shortcuts: list}, nil
}

// placed is a page among the shortcuts; of two that have the same number the older
// page is the first.
type placed struct {
	number, page float64
	uid          string
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *placed) UnmarshalJSON(text []byte) error {
	row := [3]any{&p.number, &p.page, &p.uid}
	return json.Unmarshal(text, &row)
}
