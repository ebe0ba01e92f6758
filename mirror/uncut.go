package mirror

import (
	"context"

	"roam-mcp/graphdb"
)

// cutAt is how many values of an attribute a pull gives that heeds no :limit nil
// (LOCAL_API.md 9.8). What has exactly as many is asked for by a query, which cuts nothing.
const cutAt = 1000

// The queries of what a pull may have cut.
const (
	childrenQuery = `[:find [?k ...] :in $ ?e :where [?e :block/children ?k]]`
	refsQuery     = `[:find [?r ...] :in $ ?e :where [?e :block/refs ?r]]`
	refPattern    = `[:db/id [:block/page :as "p"]]`
)

// uncut adds what lists of exactly cutAt values lack, in entities that were pulled by a
// pattern and in all below them. read are those whose lists were completed, which a
// damaged graph may hold below themselves.
func (f *flight) uncut(ctx context.Context, s *store, pattern string, found []entity, read map[graphdb.EID]bool) error {
	for i := range found {
		x := &found[i]
		if err := f.uncut(ctx, s, pattern, x.children, read); err != nil {
			return err
		}
		if read[x.e] || len(x.children) != cutAt && len(x.refs) != cutAt {
			continue
		}
		read[x.e] = true
		if len(x.children) == cutAt {
			more, err := f.lacking(ctx, s, childrenQuery, pattern, x.e, x.children)
			if err == nil {
				err = f.uncut(ctx, s, pattern, more, read)
			}
			if err != nil {
				return err
			}
			x.children = append(x.children, more...)
		}
		if len(x.refs) == cutAt {
			known := make([]entity, 0, cutAt)
			for _, to := range x.refs {
				known = append(known, entity{e: to.e})
			}
			more, err := f.lacking(ctx, s, refsQuery, refPattern, x.e, known)
			if err != nil {
				return err
			}
			for _, to := range more {
				x.refs = append(x.refs, ref{to.e, to.page})
			}
			sortRefs(x.refs)
		}
	}
	return nil
}

// lacking pulls those entities of the answer to a query about one that are not known.
func (f *flight) lacking(ctx context.Context, s *store, query, pattern string, of graphdb.EID, known []entity) ([]entity, error) {
	missing, err := f.missing(ctx, s, query, of, known)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	more, _, err := f.pulled(ctx, s, pattern, missing)
	return more, err
}

// missing returns those ids of the answer to a query about an entity that are not known.
func (f *flight) missing(ctx context.Context, s *store, query string, of graphdb.EID, known []entity) ([]graphdb.EID, error) {
	reply, _, err := f.query(ctx, query, of)
	if err != nil {
		return nil, err
	}
	all, err := s.decode(reply).ids()
	if err != nil {
		return nil, unreadable(err)
	}
	there := make(map[graphdb.EID]bool, len(known))
	for i := range known {
		there[known[i].e] = true
	}
	var missing []graphdb.EID
	for _, e := range all {
		if !there[e] {
			missing = append(missing, e)
		}
	}
	return missing, nil
}

// uncutKids adds what lists of children lack of which the ids alone were pulled.
func (f *flight) uncutKids(ctx context.Context, s *store, pages []entity) error {
	for i := range pages {
		x := &pages[i]
		if len(x.kids) != cutAt {
			continue
		}
		known := make([]entity, 0, cutAt)
		for _, e := range x.kids {
			known = append(known, entity{e: e})
		}
		missing, err := f.missing(ctx, s, childrenQuery, x.e, known)
		if err != nil {
			return err
		}
		x.kids = append(x.kids, missing...)
	}
	return nil
}
