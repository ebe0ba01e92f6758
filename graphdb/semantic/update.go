package semantic

import (
	"context"
	"hash/maphash"
	"strings"

	"roam-mcp/graphdb"
	"roam-mcp/graphdb/outline"
	"roam-mcp/graphdb/roamtext"
)

const (
	// The weights of a document's parent and page beside its own words.
	parentWeight, pageWeight = 0.5, 0.5
	// titleWeight and contentWeight are the weights of a page's words.
	titleWeight, contentWeight = 2, 0.4
	// learnAfter is the share of documents that may change before the space is
	// computed again.
	learnAfter = 0.1
)

// update updates the index to a snapshot.
func (x *Index) update(ctx context.Context, db *graphdb.DB) error {
	if x.basis == db.BasisTx() {
		return nil
	}
	x.basis = -1 // in case of an error
	x.pass++
	u := &updater{Index: x, db: db, hidden: map[graphdb.EID]bool{}, prints: map[graphdb.EID]uint64{}, bag: x.words.bag()}
	for e := range outline.AllHidden(db) {
		u.hidden[e] = true
	}
	if err := u.blocks(ctx); err != nil {
		return err
	}
	if err := u.pages(ctx); err != nil {
		return err
	}
	x.forget()
	if float64(x.changed) > learnAfter*float64(len(x.docs)) || x.space.dimensions == 0 {
		space, err := learn(ctx, x.docs, len(x.words.count), x.idf)
		if err != nil {
			return err
		}
		x.space, x.changed = space, 0
		for i := range x.docs {
			x.docs[i].vector = nil
		}
	}
	for i := range x.docs {
		if d := &x.docs[i]; d.vector == nil {
			d.vector = x.space.quantized(x.space.place(d.features, x.idf))
		}
	}
	x.basis = db.BasisTx()
	return nil
}

// updater is one pass over a snapshot.
type updater struct {
	*Index
	db     *graphdb.DB
	hidden map[graphdb.EID]bool
	prints map[graphdb.EID]uint64 // of all that is on a page
	bag    bag
}

// text returns the text of a page or block, with block references resolved.
func (u *updater) text(e graphdb.EID) string {
	text := outline.TextOf(u.db, e)
	if !strings.Contains(text, "((") {
		return text
	}
	return outline.ReplaceBlockRefs(text, func(uid string) (string, bool) {
		target := outline.ByUID(u.db, uid)
		if target == 0 || u.hidden[target] {
			return "", true
		}
		return outline.ReplaceBlockRefs(outline.TextOf(u.db, target), func(string) (string, bool) { return "", true }), true
	})
}

func (u *updater) blocks(ctx context.Context) error {
	n := 0
	for e := range u.db.Entities(graphdb.BlockString) {
		if n++; n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		page := u.db.Ref(e, graphdb.BlockPage)
		if page == 0 || u.hidden[e] {
			continue
		}
		text := u.text(e)
		title := outline.TextOf(u.db, page)
		above := ""
		if parent := outline.Parent(u.db, e); parent != page && parent != 0 {
			above = u.text(parent)
		}
		own := maphash.String(u.seed, text)
		u.prints[page] += own * uint64(e) // in any order
		print := own*31 + maphash.String(u.seed, above)*17 + maphash.String(u.seed, title)
		u.document(e, false, print, func() {
			list := words(plain(text))
			if len(list) == 0 {
				return
			}
			u.bag.add(list, 1)
			u.bag.add(words(plain(above)), parentWeight)
			u.bag.add(words(plain(title)), pageWeight)
		})
	}
	return nil
}

func (u *updater) pages(ctx context.Context) error {
	for e := range u.db.Entities(graphdb.NodeTitle) {
		if err := ctx.Err(); err != nil {
			return err
		}
		title := outline.TextOf(u.db, e)
		u.document(e, true, maphash.String(u.seed, title)+u.prints[e], func() {
			u.bag.add(words(plain(title)), titleWeight)
			for block := range u.db.ReverseSeq(graphdb.BlockParents, e) {
				if !u.hidden[block] {
					u.bag.add(words(plain(u.text(block))), contentWeight)
				}
			}
		})
	}
	return nil
}

// plain removes URLs from a text: their parts are no words.
func plain(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	var b strings.Builder
	at := 0
	for _, span := range roamtext.Spans(text) {
		if span.Kind == roamtext.Address && span.Start >= at {
			b.WriteString(text[at:span.Start] + " ")
			at = span.End
		}
	}
	return b.String() + text[at:]
}

// document records a page or block. If its words have changed since the last pass, it
// calls collect to put them into the bag.
func (u *updater) document(e graphdb.EID, page bool, print uint64, collect func()) {
	i, known := u.place[e]
	if known && u.docs[i].print == print {
		u.docs[i].pass = u.pass
		return
	}
	if !known {
		i = len(u.docs)
		u.place[e] = i
		u.docs = append(u.docs, document{e: e, page: page})
	}
	collect()
	d := &u.docs[i]
	u.uncount(d)
	d.features, d.length = u.bag.take()
	u.words.counted(d.features, 1)
	u.length += float64(d.length)
	d.print, d.pass, d.vector = print, u.pass, nil
	u.changed++
}

func (x *Index) uncount(d *document) {
	x.words.counted(d.features, -1)
	x.length -= float64(d.length)
	d.features, d.length = nil, 0
}

// forget removes the documents that the last pass did not see.
func (x *Index) forget() {
	kept := x.docs[:0]
	for i := range x.docs {
		d := &x.docs[i]
		if d.pass != x.pass {
			x.uncount(d)
			x.changed++
			delete(x.place, d.e)
			continue
		}
		x.place[d.e] = len(kept)
		kept = append(kept, *d)
	}
	clear(x.docs[len(kept):])
	x.docs = kept
}
