package graphdb

import (
	"iter"
	"maps"
)

// Attr is an attribute's name with its colon, such as ":block/string".
type Attr string

// The attributes of Roam's schema that the program reads or writes (LOCAL_API.md
// 9.1). Others may be stored too.
const (
	BlockUID         Attr = ":block/uid"      // string, unique; pages have it too
	BlockString      Attr = ":block/string"   // string; pages have none
	BlockChildren    Attr = ":block/children" // refs to the direct children, ordered by BlockOrder
	BlockOrder       Attr = ":block/order"    // int, from 0, dense among siblings
	BlockParents     Attr = ":block/parents"  // refs to all ancestors, the page included
	BlockPage        Attr = ":block/page"     // ref
	BlockRefs        Attr = ":block/refs"     // refs to pages and blocks mentioned in the text
	BlockOpen        Attr = ":block/open"     // bool
	BlockHeading     Attr = ":block/heading"  // int 1 to 3; absent: none
	BlockTextAlign   Attr = ":block/text-align"
	BlockViewType    Attr = ":block/view-type"    // keyword
	BlockProps       Attr = ":block/props"        // opaque: a map in EDN
	EntEmojis        Attr = ":ent/emojis"         // opaque: a list of reactions in EDN
	ChildrenViewType Attr = ":children/view-type" // keyword :bullet, :numbered, :document

	NodeTitle    Attr = ":node/title"      // string, unique; only pages have it
	LogID        Attr = ":log/id"          // int, ms; only daily notes have it
	PageSidebar  Attr = ":page/sidebar"    // int, position among the shortcuts
	PageEditTime Attr = ":page/edit-time"  // int, ms
	PageEditUser Attr = ":page/edit-user"  // ref
	PageWords    Attr = ":page/word-count" // int, of all blocks of the page

	CreateTime Attr = ":create/time" // int, ms
	CreateUser Attr = ":create/user" // ref
	EditTime   Attr = ":edit/time"   // int, ms
	EditUser   Attr = ":edit/user"   // ref

	UserUID         Attr = ":user/uid"          // string, unique
	UserEmail       Attr = ":user/email"        // string, unique; people only
	UserDisplayName Attr = ":user/display-name" // string
	UserDisplayPage Attr = ":user/display-page" // ref

	EntityAttrs Attr = ":entity/attrs" // opaque: what attribute blocks say of a page or block, a set of triples in EDN
	AttrsLookup Attr = ":attrs/lookup" // refs to all that is named in EntityAttrs

	VCBlocks Attr = ":vc/blocks" // refs to a block's versions
)

// Uniqueness says whether at most one entity has a value of an attribute.
type Uniqueness uint8

// Transact refuses a second entity with a value for both Identity and UniqueValue.
// They differ in DataScript, where an identity may be used to upsert.
const (
	NotUnique Uniqueness = iota
	Identity
	UniqueValue
)

// AttrDef defines an attribute. The zero AttrDef allows one value of any kind but a
// reference.
type AttrDef struct {
	Kind      Kind       // the only kind allowed; KindNone: any but KindRef
	Many      bool       // a set of references; needs KindRef
	Unique    Uniqueness // not for references
	Component bool       // retracting an entity retracts those it points to; needs KindRef
}

// Schema is an immutable set of attribute definitions.
type Schema struct{ defs map[Attr]AttrDef }

// NewSchema returns a schema of these definitions.
func NewSchema(defs map[Attr]AttrDef) *Schema { return &Schema{defs: maps.Clone(defs)} }

// Def returns the definition of an attribute; the zero AttrDef if there is none.
func (s *Schema) Def(a Attr) AttrDef { return s.defs[a] }

// All lists the definitions in no particular order.
func (s *Schema) All() iter.Seq2[Attr, AttrDef] { return maps.All(s.defs) }

// RoamSchema returns the schema of a Roam graph, as an EDN export of 2025 has it
// (LOCAL_API.md 9.11). It also fixes the kinds of text, uid, title and order, which Roam's own
// leaves open.
func RoamSchema() *Schema {
	defs := map[Attr]AttrDef{
		BlockString: {Kind: KindString},
		BlockOrder:  {Kind: KindInt},
		BlockUID:    {Kind: KindString, Unique: Identity},
		NodeTitle:   {Kind: KindString, Unique: Identity},

		":append-api/fb-push-key": {Unique: UniqueValue},
		":diagram/nodes":          {Kind: KindRef, Many: true, Component: true},
		":diagram/edges":          {Kind: KindRef, Many: true, Component: true},
	}
	for _, a := range []Attr{UserUID, UserEmail, ":graph/name", ":window/id", ":version/id", ":plugin/id"} {
		defs[a] = AttrDef{Unique: Identity}
	}
	for _, a := range []Attr{
		BlockChildren, BlockRefs, BlockParents, VCBlocks, AttrsLookup, ":edit/seen-by", ":create/seen-by",
		":node/links", ":node/sections", ":node/subpages", ":node/windows", ":query/results",
		":harc/e", ":harc/a", ":harc/v",
	} {
		defs[a] = AttrDef{Kind: KindRef, Many: true}
	}
	for _, a := range []Attr{
		BlockPage, CreateUser, EditUser, PageEditUser, UserDisplayPage,
		":block/subpage", ":block/clone", ":block/focused-user", ":link/to", ":d/e", ":d/a", ":d/v",
		":diagram.node/block", ":diagram.node/parent-node", ":diagram.edge/source", ":diagram.edge/target",
	} {
		defs[a] = AttrDef{Kind: KindRef}
	}
	return &Schema{defs: defs}
}
