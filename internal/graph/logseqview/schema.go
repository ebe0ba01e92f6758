package logseqview

import (
	"maps"

	"roam-mcp/internal/graph/graphdb"
)

// The attributes of Logseq's file graphs that a view has.
const (
	UUID         graphdb.Attr = ":block/uuid"
	Name         graphdb.Attr = ":block/name" // of a page: its title in lower case
	OriginalName graphdb.Attr = ":block/original-name"
	Title        graphdb.Attr = ":block/title" // of a page its title, of a block its text
	Type         graphdb.Attr = ":block/type"  // of a page: "journal" or "page"
	IsJournal    graphdb.Attr = ":block/journal?"
	JournalDay   graphdb.Attr = ":block/journal-day" // 20240115
	Namespace    graphdb.Attr = ":block/namespace"   // the page of the title before the last slash
	Alias        graphdb.Attr = ":block/alias"       // of a page: what its line alias:: refers to
	Tags         graphdb.Attr = ":block/tags"        // of a page those of its line tags::, of a block those in its text
	Content      graphdb.Attr = ":block/content"
	Format       graphdb.Attr = ":block/format"
	Page         graphdb.Attr = ":block/page"
	Parent       graphdb.Attr = ":block/parent"
	Left         graphdb.Attr = ":block/left" // the sibling before, else the parent
	Order        graphdb.Attr = ":block/order"
	Refs         graphdb.Attr = ":block/refs"      // those of property lines are their block's, too
	PathRefs     graphdb.Attr = ":block/path-refs" // own, of the blocks above and of the page, and the page
	Marker       graphdb.Attr = ":block/marker"    // TODO, DOING, …
	Priority     graphdb.Attr = ":block/priority"  // A, B, C
	Scheduled    graphdb.Attr = ":block/scheduled" // 20240115
	Deadline     graphdb.Attr = ":block/deadline"  // 20240115
	Properties   graphdb.Attr = ":block/properties"
	PreBlock     graphdb.Attr = ":block/pre-block?" // a property line of a page
	Collapsed    graphdb.Attr = ":block/collapsed?"
	CreatedAt    graphdb.Attr = ":block/created-at"
	UpdatedAt    graphdb.Attr = ":block/updated-at"
)

// shared are the attributes that a snapshot in Roam's schema holds as Logseq's does.
func shared() map[graphdb.Attr]graphdb.Attr {
	return map[graphdb.Attr]graphdb.Attr{
		graphdb.BlockUID: UUID, graphdb.NodeTitle: OriginalName, graphdb.BlockString: Content, graphdb.BlockPage: Page,
		graphdb.BlockOrder: Order, graphdb.BlockRefs: Refs, graphdb.CreateTime: CreatedAt, graphdb.EditTime: UpdatedAt,
	}
}

// schema returns the schema of a view. Names are unique in Logseq; a view has no lookup
// by name where two titles differ in case alone.
func schema(uniqueNames bool) *graphdb.Schema {
	one, many := graphdb.AttrDef{Kind: graphdb.KindRef}, graphdb.AttrDef{Kind: graphdb.KindRef, Many: true}
	defs := map[graphdb.Attr]graphdb.AttrDef{
		Parent: one, Left: one, Namespace: one, PathRefs: many, Tags: many, Alias: many,
		Name: {Kind: graphdb.KindString},
	}
	if uniqueNames {
		defs[Name] = graphdb.AttrDef{Kind: graphdb.KindString, Unique: graphdb.Identity}
	}
	roam := graphdb.RoamSchema()
	for old, name := range maps.All(shared()) {
		defs[name] = roam.Def(old)
	}
	return graphdb.NewSchema(defs)
}
