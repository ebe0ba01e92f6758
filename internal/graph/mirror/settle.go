package mirror

import (
	"context"
	"maps"

	"roam-mcp/internal/graph/graphdb"
)

// settle reads the pages that are wanted, and finds out about blocks that are lost, until
// nothing is left.
func (f *refresh) settle(ctx context.Context, c *changes) error {
	for range rounds {
		for len(c.wanted) > 0 {
			if err := f.wantedPages(ctx, c); err != nil {
				return err
			}
		}
		if len(c.lost) > 0 {
			if err := f.find(ctx, c); err != nil {
				return err
			}
			continue
		}
		if len(c.odd) == 0 {
			break
		}
		asked := ids(c.odd)
		clear(c.odd)
		roots, _, err := f.trees(ctx, c.store, asked)
		if err != nil {
			return err
		}
		if err := c.apply(ctx, roots); err != nil {
			return err
		}
	}
	if c.later != nil {
		c.later()
		c.later = nil
	}
	return nil
}

// wantedPages reads one chunk of the pages that are wanted.
func (f *refresh) wantedPages(ctx context.Context, c *changes) error {
	// Pages that lead to each other again and again, as those do that have one block, end.
	maps.DeleteFunc(c.wanted, func(e graphdb.EID, _ bool) bool { return c.reads[e] == rounds })
	part := ids(c.wanted)
	if len(part) == 0 {
		return nil
	}
	weight := 0
	for i, e := range part {
		if p := c.pages[e]; p != nil {
			weight += 2 * int(p.direct)
		}
		if weight++; weight > c.chunk && i > 0 {
			part = part[:i]
			break
		}
	}
	roots, _, err := f.trees(ctx, c.store, part)
	if err != nil {
		return err
	}
	if err := c.apply(ctx, roots); err != nil {
		return err
	}
	there := map[graphdb.EID]bool{}
	for i := range roots {
		there[roots[i].e] = roots[i].title != ""
	}
	for _, e := range part {
		delete(c.wanted, e)
		c.reads[e]++
		if !there[e] && c.pages[e] != nil {
			c.drop(e)
			if err := c.removePage(ctx, e); err != nil {
				return err
			}
		}
	}
	if c.clashes > 0 && !c.checked {
		_, err = f.sentinels(ctx, c)
	}
	return err
}

// removePage removes a page that is gone. What was on it is lost: it may have come to
// another page, where it keeps what refers to it.
func (c *changes) removePage(ctx context.Context, e graphdb.EID) error {
	if c.level == Links {
		return nil
	}
	return c.transact(ctx, func(tx *graphdb.Tx) error {
		below := tx.Refs(e, graphdb.BlockChildren)
		for i := 0; i < len(below); i++ {
			c.lost[below[i]] = true
			below = append(below, tx.Refs(below[i], graphdb.BlockChildren)...)
		}
		return tx.RetractEntity(e)
	})
}

// find asks where blocks are that are no longer where they were.
func (f *refresh) find(ctx context.Context, c *changes) error {
	asked := ids(c.lost)
	asked = asked[:min(len(asked), mostChunk)]
	found, _, err := f.pulled(ctx, c.store, wherePattern, asked)
	if err != nil {
		return err
	}
	for _, e := range asked {
		delete(c.lost, e)
	}
	there := map[graphdb.EID]bool{}
	for i := range found {
		x := &found[i]
		if x.uid != "" && x.page != 0 {
			there[x.e] = true
			c.wanted[x.page] = true
		}
	}
	var gone []graphdb.EID
	for _, e := range asked {
		if !there[e] {
			gone = append(gone, e)
		}
	}
	return c.remove(ctx, gone)
}
