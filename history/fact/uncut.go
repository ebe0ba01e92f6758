package fact

import (
	"context"
	"slices"
)

const (
	// cutAt is how many values of an attribute a pull gives that heeds no :limit nil
	// (LOCAL_API.md 9.8). What has exactly as many is asked for by a query, which cuts
	// nothing.
	cutAt = 1000
	// maxCut is how many such lists may stand in each other.
	maxCut = 20
)

// The queries of what a pull may have cut.
const (
	childrenQuery  = `[:find ?u :in $ ?v :where [?e :block/uid ?v] [?e :block/children ?c] [?c :block/uid ?u]]`
	referrersQuery = `[:find ?u :in $ ?v :where [?e :block/uid ?v] [?r :block/refs ?e] [?r :block/uid ?u]]`
)

// uncut adds what lists of exactly cutAt children or referrers lack. children is the pattern
// by which children were pulled.
func (p puller) uncut(ctx context.Context, found []pulled, children string) error {
	for i := range found {
		x := &found[i]
		for _, list := range []struct {
			of             *[]pulled
			query, pattern string
		}{{&x.children, childrenQuery, children}, {&x.referrers, referrersQuery, referrerPattern}} {
			if err := p.uncut(ctx, *list.of, childPattern(list.pattern)); err != nil {
				return err
			}
			if len(*list.of) != cutAt {
				continue
			}
			more, err := p.lacking(ctx, list.query, list.pattern, x.uid, *list.of)
			if err != nil {
				return err
			}
			*list.of = append(*list.of, more...)
		}
		if err := p.uncut(ctx, x.parents, uidPattern); err != nil {
			return err
		}
	}
	return nil
}

// lacking pulls what a query about a thing finds and what is not known.
func (p puller) lacking(ctx context.Context, text, pattern, uid string, known []pulled) ([]pulled, error) {
	rows, err := query[[1]string](ctx, p.ask, text, uid)
	if err != nil {
		return nil, err
	}
	there := make(map[string]bool, len(known))
	for i := range known {
		there[known[i].uid] = true
	}
	var missing []string
	for _, row := range rows {
		if !there[row[0]] {
			missing = append(missing, row[0])
		}
	}
	if p.depth++; p.depth > maxCut {
		return nil, ErrTooLarge
	}
	var more []pulled
	for some := range slices.Chunk(missing, cutAt) {
		found, err := p.pull(ctx, pattern, byUID, some)
		if err != nil {
			return nil, err
		}
		more = append(more, found...)
	}
	return more, nil
}
