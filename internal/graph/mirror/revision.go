package mirror

import (
	"context"
	"slices"

	"roam-mcp/internal/graph/graphdb"
)

// Revision says which View of a graph what a caller keeps was derived from. The zero
// Revision is that of none.
type Revision struct {
	of *lineage
	at int
}

// lineage is what the Views have in common of which each follows from the one before.
type lineage struct{ _ byte }

// changeLog lists the uids of the pages that have changed since a graph was loaded, one
// for each change. What is in it never changes.
type changeLog struct {
	of    *lineage
	first int // how many were in front of those that are kept
	uids  []string
}

// mostLogged is how many changes a changeLog keeps at most.
const mostLogged = 100_000

// Revision returns the revision of the View. For Links it is zero.
func (v *View) Revision() Revision {
	return Revision{v.log.of, v.log.first + len(v.log.uids)}
}

// ChangedSince returns the uids of the pages whose title, blocks or times may be others
// than in the View with a revision, those that are gone or have come included, each once.
// A View that is older than the revision has none. It reports false where that is not
// known, so that any page may have changed.
func (v *View) ChangedSince(r Revision) (uids []string, ok bool) {
	if r.of == nil || r.of != v.log.of || r.at < v.log.first {
		return nil, false
	}
	changed := v.log.uids[min(r.at-v.log.first, len(v.log.uids)):]
	seen := make(map[string]bool, len(changed))
	for _, uid := range changed {
		if !seen[uid] {
			seen[uid] = true
			uids = append(uids, uid)
		}
	}
	return uids, true
}

// transact changes the snapshot of all blocks, and logs the pages that have changed once it
// is complete.
func (s *store) transact(ctx context.Context, write func(*graphdb.Tx) error) error {
	if !s.complete {
		return s.conn.Fill(ctx, write)
	}
	report, err := s.conn.Transact(ctx, write)
	if err != nil {
		return err
	}
	pages := map[graphdb.EID]bool{}
	for d := range report.Datoms() {
		for _, db := range []*graphdb.DB{report.Before, report.After} {
			if on := db.Ref(d.E, graphdb.BlockPage); on != 0 {
				pages[on] = true
			} else if db.Has(d.E, graphdb.NodeTitle) {
				pages[d.E] = true
			}
		}
	}
	for _, e := range ids(pages) {
		before, after := report.Before.String(e, graphdb.BlockUID), report.After.String(e, graphdb.BlockUID)
		if before != after && before != "" {
			s.log.uids = append(s.log.uids, before)
		}
		if after != "" {
			s.log.uids = append(s.log.uids, after)
		}
	}
	if half := mostLogged / 2; len(s.log.uids) > mostLogged {
		half = max(half, len(s.log.uids)-half)
		s.log.uids, s.log.first = slices.Clone(s.log.uids[half:]), s.log.first+half
	}
	return nil
}
