package fact

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// maxNear is for how many things the siblings come with each of them: fewer than a batch has.
const maxNear = 24

// Things reads pages and blocks. Those that do not exist are Gone. It asks Roam once
// for up to 24 of them, and twice for more.
func Things(ctx context.Context, ask Ask, uids []string) (State, error) {
	r := read(ask)
	err := r.several(ctx, uids)
	return r.state(), err
}

// several adds things, and Gone facts of those that do not exist.
func (r *reading) several(ctx context.Context, uids []string) error {
	found, err := r.near(ctx, thingPattern, uids)
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
	if err := r.families(ctx, found, len(uids)); err != nil {
		return err
	}
	return r.gone(uids)
}

// near pulls things with a pattern that asks for the siblings of each. For many it does not: see
// families.
func (r *reading) near(ctx context.Context, pattern string, uids []string) ([]pulled, error) {
	if len(uids) > maxNear {
		pattern = strings.Replace(pattern, siblingsPattern, parentPattern, 1)
	}
	return pull(ctx, r.ask, pattern, byUID, uids)
}

// families adds the neighbours of what was found of many things, each list of siblings being read
// once.
func (r *reading) families(ctx context.Context, found []pulled, many int) error {
	if many <= maxNear {
		return nil
	}
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
