package search

import (
	"context"
	"hash/maphash"
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/graph/roamtext"
)

const (
	// The weights of a document's parent and page beside its own words.
	parentWeight, abovePageWeight = 0.5, 0.5
	// meaningTitleWeight is the weight of the words of a page's title.
	meaningTitleWeight = 2
	// learnAfter is the share of documents that may change before the space is
	// computed again.
	learnAfter = 0.1
)

// update updates the index to a snapshot.
func (x *MeaningIndex) update(ctx context.Context, db *graphdb.DB) error {
	if x.basis == db.BasisTx() {
		return nil
	}
	x.basis = -1 // in case of an error
	x.pass++
	x.reserve(db)
	u := &updater{MeaningIndex: x, db: db, children: db.Attribute(graphdb.BlockChildren), hidden: map[graphdb.EID]bool{}, bag: x.words.bag()}
	for e := range outline.AllHidden(db) {
		u.hidden[e] = true
	}
	for page, title := range db.Entities(graphdb.NodeTitle) {
		if err := u.page(ctx, page, title.Text()); err != nil {
			return err
		}
	}
	x.forget()
	if x.vectorShare > 0 {
		if err := x.placeAll(ctx); err != nil {
			return err
		}
	}
	x.basis = db.BasisTx()
	return nil
}

// placeAll computes the vectors that are missing, and all of them again after many
// changes.
func (x *MeaningIndex) placeAll(ctx context.Context) error {
	if float64(x.changed) > learnAfter*float64(len(x.docs)) || x.space.dimensions == 0 {
		space, err := learn(ctx, x.sample(), len(x.words.count))
		if err != nil {
			return err
		}
		x.space, x.changed = space, 0
		for i := range x.docs {
			x.docs[i].vector = nil
		}
	}
	at := make([]float64, x.space.dimensions)
	for i := range x.docs {
		if d := &x.docs[i]; d.vector == nil {
			d.vector = quantized(x.space.place(at, unit(x.unpacked(d), x.idf)))
		}
	}
	return nil
}

// reserve makes room for the documents of a graph, so that no larger copies of what there is
// are made while it is read.
func (x *MeaningIndex) reserve(db *graphdb.DB) {
	if len(x.docs) > 0 {
		return
	}
	count := db.Count(graphdb.NodeTitle)
	if !x.pagesOnly {
		count = db.Count(graphdb.BlockUID)
	}
	x.docs, x.place = make([]document, 0, count), make(map[graphdb.EID]int, count)
}

// sample returns the words of documents that stand for all, as vectors of length 1.
func (x *MeaningIndex) sample() [][]feature {
	step := max(1, (len(x.docs)+sampled-1)/sampled)
	var rows [][]feature
	for i := 0; i < len(x.docs); i += step {
		rows = append(rows, unit(slices.Clone(x.unpacked(&x.docs[i])), x.idf))
	}
	return rows
}

// updater is one pass over a snapshot.
type updater struct {
	*MeaningIndex
	db       *graphdb.DB
	children graphdb.Attribute
	hidden   map[graphdb.EID]bool // with or without what is below
	bag      bag
	walked   int // pages and blocks, for looking at the context now and then
}

// text returns the text of a block, with block references resolved.
func (u *updater) text(e graphdb.EID) string {
	text := u.db.String(e, graphdb.BlockString)
	if !strings.Contains(text, "((") {
		return text
	}
	return outline.ReplaceBlockRefs(text, func(uid string) (string, bool) {
		target := outline.ByUID(u.db, uid)
		if target == 0 || len(u.hidden) > 0 && outline.Hidden(u.db, target) {
			return "", true
		}
		return outline.ReplaceBlockRefs(outline.TextOf(u.db, target), func(string) (string, bool) { return "", true }), true
	})
}

// page records a page and its blocks.
func (u *updater) page(ctx context.Context, e graphdb.EID, title string) error {
	if err := u.step(ctx); err != nil {
		return err
	}
	about := title + u.tags(e)
	w := pageWalk{updater: u, about: about, hash: maphash.String(u.seed, about)}
	if u.pagesOnly {
		w.met = map[graphdb.EID]bool{}
	}
	if err := w.below(ctx, e, ""); err != nil {
		return err
	}
	u.document(e, true, w.hash+w.print, func() {
		u.bag.add(plain(about), meaningTitleWeight)
		for _, block := range w.blocks {
			u.bag.add(plain(u.text(block)), u.contentWeight)
		}
	})
	return nil
}

// tags returns the tags that a page declares, each after a blank.
func (u *updater) tags(page graphdb.EID) string {
	var b strings.Builder
	for block := range u.children.Refs(page) {
		if u.hidden[block] {
			continue
		}
		for _, tag := range note.Read(u.db.String(block, graphdb.BlockString), true).Declared {
			b.WriteString(" " + tag)
		}
	}
	return b.String()
}

// step returns the context's error now and then.
func (u *updater) step(ctx context.Context) error {
	if u.walked++; u.walked%1024 == 0 {
		return ctx.Err()
	}
	return nil
}

// pageWalk walks a page's blocks.
type pageWalk struct {
	*updater
	about  string // the title and tags
	hash   uint64 // of that
	print  uint64 // of all texts
	blocks []graphdb.EID
	met    map[graphdb.EID]bool // the blocks, where they are no documents
}

// below records the blocks below one, or below the page, whose text is then empty.
func (w *pageWalk) below(ctx context.Context, e graphdb.EID, above string) error {
	for block := range w.children.Refs(e) {
		if w.hidden[block] || w.meets(block) {
			continue
		}
		if err := w.step(ctx); err != nil {
			return err
		}
		text := w.text(block)
		own := maphash.String(w.seed, text)
		w.print += own * uint64(block) // in any order
		w.blocks = append(w.blocks, block)
		w.block(block, text, own*31+maphash.String(w.seed, above)*17+w.hash, above)
		if err := w.below(ctx, block, text); err != nil {
			return err
		}
	}
	return nil
}

// block records a block, if the index has blocks.
func (w *pageWalk) block(e graphdb.EID, text string, print uint64, above string) {
	if w.pagesOnly {
		return
	}
	w.document(e, false, print, func() {
		if !w.bag.add(plain(text), 1) {
			return
		}
		w.bag.add(plain(above), parentWeight)
		w.bag.add(plain(w.about), abovePageWeight)
	})
}

// meets reports whether this pass has met the block before: an imported dump may hold a
// circle.
func (w *pageWalk) meets(e graphdb.EID) bool {
	if w.pagesOnly {
		before := w.met[e]
		w.met[e] = true
		return before
	}
	i, known := w.place[e]
	return known && w.docs[i].pass == w.pass
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
	list, length := u.bag.take(u.damped)
	d.features, d.length = u.packer.pack(list), length
	u.words.counted(list, 1)
	u.length += float64(d.length)
	d.print, d.pass, d.vector = print, u.pass, nil
	u.changed++
}

func (x *MeaningIndex) uncount(d *document) {
	x.words.counted(x.unpacked(d), -1)
	x.length -= float64(d.length)
	d.features, d.length = "", 0
}

// forget removes the documents that the last pass did not see.
func (x *MeaningIndex) forget() {
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
