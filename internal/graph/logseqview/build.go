package logseqview

import (
	"context"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

// Build returns a snapshot in Logseq's schema of one in Roam's. It shares with it what
// both have alike. It takes some seconds for a million blocks, and ends with the context.
func Build(ctx context.Context, db *graphdb.DB) (*graphdb.DB, error) {
	b := &builder{db: db, hidden: map[graphdb.EID]bool{}, byName: map[string]graphdb.EID{}}
	for e := range outline.AllHidden(db) {
		b.hidden[e] = true
	}
	unique := true
	for e, title := range db.Entities(graphdb.NodeTitle) {
		name := strings.ToLower(title.Text())
		if _, taken := b.byName[name]; taken {
			unique = false
			continue
		}
		b.byName[name] = e
	}
	conn, err := graphdb.Load(ctx, schema(unique), b.datoms, graphdb.WithAttributes(db, shared()))
	if err != nil {
		return nil, err
	}
	if len(b.hidden) == 0 {
		return conn.DB(), nil
	}
	report, err := conn.Transact(ctx, func(tx *graphdb.Tx) error {
		for e := range b.hidden {
			if err := tx.RetractEntity(e); err != nil {
				return err
			}
		}
		return nil
	})
	return report.After, err
}

// builder makes the datoms of a view that the snapshot does not have.
type builder struct {
	db     *graphdb.DB
	hidden map[graphdb.EID]bool
	byName map[string]graphdb.EID // pages by title in lower case

	yield func(graphdb.Datom, error) bool
	done  bool
}

func (b *builder) datoms(yield func(graphdb.Datom, error) bool) {
	b.yield = yield
	for page, title := range b.db.Entities(graphdb.NodeTitle) {
		if b.done {
			return
		}
		b.page(page, title.Text())
	}
}

func (b *builder) put(e graphdb.EID, a graphdb.Attr, v graphdb.Value) {
	b.done = b.done || !b.yield(graphdb.Datom{E: e, A: a, V: v, Added: true}, nil)
}

func (b *builder) text(e graphdb.EID, a graphdb.Attr, text string) {
	if text != "" {
		b.put(e, a, graphdb.StringValue(text))
	}
}

func (b *builder) number(e graphdb.EID, a graphdb.Attr, n int64) {
	if n != 0 {
		b.put(e, a, graphdb.IntValue(n))
	}
}

// titled returns the page with a title, else that with the same name; 0 if there is none.
func (b *builder) titled(title string) graphdb.EID {
	if e, ok := b.db.Lookup(graphdb.NodeTitle, graphdb.StringValue(title)); ok {
		return e
	}
	return b.byName[strings.ToLower(title)]
}

func (b *builder) refer(e graphdb.EID, a graphdb.Attr, titles []string) {
	for _, title := range titles {
		if to := b.titled(title); to != 0 {
			b.put(e, a, graphdb.RefValue(to))
		}
	}
}

// page puts a page and all that is below it.
func (b *builder) page(page graphdb.EID, title string) {
	b.put(page, Name, graphdb.StringValue(strings.ToLower(title)))
	b.put(page, Title, graphdb.StringValue(title))
	b.put(page, Format, graphdb.KeywordValue(":markdown"))
	day, daily := outline.ParseDailyTitle(title)
	b.put(page, IsJournal, graphdb.BoolValue(daily))
	if daily {
		b.put(page, Type, graphdb.StringValue("journal"))
		b.number(page, JournalDay, DayNumber(day))
	} else {
		b.put(page, Type, graphdb.StringValue("page"))
	}
	if at := strings.LastIndexByte(title, '/'); at > 0 {
		b.refer(page, Namespace, []string{title[:at]})
	}
	children := b.children(page)
	own, _ := b.describe(page, children)
	for _, p := range own {
		switch p.key {
		case keyTags:
			b.refer(page, Tags, p.titles)
		case keyAlias:
			b.refer(page, Alias, p.titles)
		}
	}
	b.below(page, page, children, b.join([]graphdb.EID{page}, b.refs(page)), 0)
}

// children returns the visible children of a page or a block in their order.
func (b *builder) children(e graphdb.EID) []graphdb.EID {
	return slices.DeleteFunc(outline.Children(b.db, e), func(e graphdb.EID) bool { return b.hidden[e] })
}

// refs returns what a text refers to, without hidden blocks.
func (b *builder) refs(e graphdb.EID) []graphdb.EID {
	return slices.DeleteFunc(b.db.Refs(e, graphdb.BlockRefs), func(e graphdb.EID) bool { return b.hidden[e] })
}

// join returns two sets as one, in order.
func (b *builder) join(some, more []graphdb.EID) []graphdb.EID {
	if len(more) == 0 {
		return some
	}
	all := slices.Concat(some, more)
	slices.Sort(all)
	return slices.Compact(all)
}

// describe puts the properties that the lines below a page or a block say of it, and
// returns them with what the lines refer to.
func (b *builder) describe(e graphdb.EID, children []graphdb.EID) (properties []property, refs []graphdb.EID) {
	values := &edn.Map{}
	for _, line := range children {
		if p, ok := readProperty(b.db.String(line, graphdb.BlockString)); ok {
			values.Put(p.key, p.value)
			properties = append(properties, p)
			refs = append(refs, b.refs(line)...)
		}
	}
	if len(properties) > 0 {
		b.put(e, Properties, opaque(values))
	}
	return properties, refs
}

// below puts the blocks below a page or a block. path is what a block there inherits of
// PathRefs.
func (b *builder) below(page, parent graphdb.EID, children, path []graphdb.EID, depth int) {
	left := parent
	for _, e := range children {
		if b.done || depth > maxDepth {
			return
		}
		b.put(e, Parent, graphdb.RefValue(parent))
		b.put(e, Left, graphdb.RefValue(left))
		left = e
		b.block(page, e, parent == page, path, depth)
	}
}

// maxDepth bounds the levels of blocks, of which a page in Roam has fewer.
const maxDepth = 2 * outline.MaxDepth

// block puts a block and all that is below it. direct: it is directly on its page.
func (b *builder) block(page, e graphdb.EID, direct bool, path []graphdb.EID, depth int) {
	text := b.db.String(e, graphdb.BlockString)
	b.put(e, Title, graphdb.StringValue(text))
	b.put(e, Format, graphdb.KeywordValue(":markdown"))
	marker, priority := readTask(text)
	b.text(e, Marker, marker)
	b.text(e, Priority, priority)
	scheduled, deadline := readPlan(text)
	b.number(e, Scheduled, scheduled)
	b.number(e, Deadline, deadline)
	if open, ok := b.db.Get(e, graphdb.BlockOpen); ok && !open.Bool() {
		b.put(e, Collapsed, graphdb.BoolValue(true))
	}
	children := b.children(e)
	line, isLine := readProperty(text)
	if isLine && direct { // as the first block of a page in Logseq, which has the page's properties
		b.put(e, PreBlock, graphdb.BoolValue(true))
		b.put(e, Properties, opaque(&edn.Map{Keys: []any{line.key}, Values: []any{line.value}}))
	}
	if !isLine && strings.Contains(text, "#") {
		for _, m := range note.Mentions(text) {
			if m.Kind == note.Tag && m.Title != priority { // [#A] reads as a tag in Roam
				b.refer(e, Tags, []string{m.Title})
			}
		}
	}
	refs := b.refs(e)
	if !isLine || !direct {
		_, said := b.describe(e, children)
		for _, to := range said {
			b.put(e, Refs, graphdb.RefValue(to))
		}
		refs = append(refs, said...)
	}
	path = b.join(path, refs)
	for _, to := range path {
		b.put(e, PathRefs, graphdb.RefValue(to))
	}
	b.below(page, e, children, path, depth+1)
}

// DayNumber returns a day as JournalDay has it: 20240115.
func DayNumber(day time.Time) int64 {
	return int64(day.Year())*10_000 + int64(day.Month())*100 + int64(day.Day())
}
