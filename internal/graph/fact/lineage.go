package fact

import (
	"cmp"
	"context"
	"slices"
)

// Lineages reads what blocks are below: for each page or block that exists, by its uid, the page that
// it is on and the blocks above it, from the page down; of a page nothing. Facts have uid, title and
// text alone. It asks Roam once.
func Lineages(ctx context.Context, ask Ask, uids []string) (map[string][]Fact, error) {
	found, err := pull(ctx, ask, lineagePattern, byUID, uids)
	if err != nil {
		return nil, err
	}
	lineages := map[string][]Fact{}
	for i := range found {
		above := slices.Clone(found[i].above)
		slices.SortFunc(above, func(a, b pulled) int { return cmp.Compare(len(a.above), len(b.above)) })
		lineage := make([]Fact, 0, len(above))
		for j := range above {
			f := above[j].fact()
			lineage = append(lineage, Fact{UID: f.UID, Title: f.Title, Text: f.Text})
		}
		lineages[found[i].uid] = lineage
	}
	return lineages, nil
}
