package outline

import (
	"iter"
	"slices"

	"roam-mcp/internal/graph/graphdb"
)

// PageByTitle finds a page; 0: there is none.
func PageByTitle(r graphdb.Reader, title string) graphdb.EID {
	e, _ := r.Lookup(graphdb.NodeTitle, graphdb.StringValue(title))
	return e
}

// ByUID finds a page or block; 0: there is none.
func ByUID(r graphdb.Reader, uid string) graphdb.EID {
	e, _ := r.Lookup(graphdb.BlockUID, graphdb.StringValue(uid))
	return e
}

// IsPage tells whether the entity is a page: it has a title.
func IsPage(r graphdb.Reader, e graphdb.EID) bool { return r.Has(e, graphdb.NodeTitle) }

// IsBlock tells whether the entity is a block: it has a string.
func IsBlock(r graphdb.Reader, e graphdb.EID) bool { return r.Has(e, graphdb.BlockString) }

// TextOf is a page's title or a block's string.
func TextOf(r graphdb.Reader, e graphdb.EID) string {
	if title, ok := r.Get(e, graphdb.NodeTitle); ok {
		return title.Text()
	}
	return r.String(e, graphdb.BlockString)
}

// Parent is the page or block an entity is a child of; 0: it has none.
func Parent(r graphdb.Reader, e graphdb.EID) graphdb.EID {
	for p := range r.ReverseSeq(graphdb.BlockChildren, e) {
		return p
	}
	return 0
}

// Ancestors are the entities above a block, the page first, the parent last.
func Ancestors(r graphdb.Reader, e graphdb.EID) []graphdb.EID {
	var out []graphdb.EID
	seen := map[graphdb.EID]bool{e: true} // an imported dump may hold a circle
	for p := Parent(r, e); p != 0 && !seen[p]; p = Parent(r, p) {
		seen[p] = true
		out = append(out, p)
	}
	slices.Reverse(out)
	return out
}

// Subtree lists an entity and everything below it, parents before children.
func Subtree(r graphdb.Reader, e graphdb.EID) []graphdb.EID {
	out := []graphdb.EID{e}
	seen := map[graphdb.EID]bool{e: true}
	for i := 0; i < len(out); i++ {
		for _, k := range Children(r, out[i]) {
			if !seen[k] {
				seen[k] = true
				out = append(out, k)
			}
		}
	}
	return out
}

// hidingPages are the titles whose mention hides a block and all below it
// (LOCAL_API.md 9.7).
func hidingPages(r graphdb.Reader) []graphdb.EID {
	var out []graphdb.EID
	for _, title := range [...]string{".rm-hide", ".rm-private"} {
		if e := PageByTitle(r, title); e != 0 {
			out = append(out, e)
		}
	}
	return out
}

// Hidden tells whether a block or one above it is tagged #.rm-hide or
// #.rm-private. What is hidden is left out of all that an agent reads, without
// a trace.
func Hidden(r graphdb.Reader, e graphdb.EID) bool { return hides(r, hidingPages(r), e) }

func hides(r graphdb.Reader, marks []graphdb.EID, e graphdb.EID) bool {
	if len(marks) == 0 {
		return false
	}
	return marked(r, marks, e) || slices.ContainsFunc(Ancestors(r, e), func(a graphdb.EID) bool { return marked(r, marks, a) })
}

func marked(r graphdb.Reader, marks []graphdb.EID, e graphdb.EID) bool {
	if IsPage(r, e) {
		return false // a page's title may mention the tag without hiding the page
	}
	return slices.ContainsFunc(r.Refs(e, graphdb.BlockRefs), func(to graphdb.EID) bool { return slices.Contains(marks, to) })
}

// ReadTree gives an entity's children as trees, hidden ones included.
func ReadTree(r graphdb.Reader, e graphdb.EID) []Block {
	return readTree(r, nil, e, map[graphdb.EID]bool{e: true})
}

// VisibleTree gives an entity's children as trees, without hidden ones.
func VisibleTree(r graphdb.Reader, e graphdb.EID) []Block {
	return readTree(r, hidingPages(r), e, map[graphdb.EID]bool{e: true})
}

// readTree leaves out the blocks that mention one of the marks.
func readTree(r graphdb.Reader, marks []graphdb.EID, e graphdb.EID, seen map[graphdb.EID]bool) []Block {
	var out []Block
	for _, k := range Children(r, e) {
		if seen[k] || len(marks) > 0 && marked(r, marks, k) {
			continue
		}
		seen[k] = true
		b := ReadBlock(r, k)
		b.Children = readTree(r, marks, k, seen)
		out = append(out, b)
	}
	return out
}

// ReadBlock gives a block without its children.
func ReadBlock(r graphdb.Reader, e graphdb.EID) Block {
	heading, _ := r.Int(e, graphdb.BlockHeading)
	open, ok := r.Get(e, graphdb.BlockOpen)
	return Block{
		String:           r.String(e, graphdb.BlockString),
		UID:              r.String(e, graphdb.BlockUID),
		Heading:          int(heading),
		Collapsed:        ok && !open.Bool(),
		TextAlign:        r.String(e, graphdb.BlockTextAlign),
		ChildrenViewType: plainKeyword(r.String(e, graphdb.ChildrenViewType)),
		BlockViewType:    plainKeyword(r.String(e, graphdb.BlockViewType)),
		Props:            propsJSON(r.String(e, graphdb.BlockProps), false),
	}
}

func plainKeyword(k string) string {
	if k != "" && k[0] == ':' {
		return k[1:]
	}
	return k
}

// AllHidden lists the blocks that Hidden is true of, for those who leave them
// out of many results at once. A block may come more than once.
func AllHidden(r graphdb.Reader) iter.Seq[graphdb.EID] {
	return func(yield func(graphdb.EID) bool) {
		for _, mark := range hidingPages(r) {
			for e := range r.ReverseSeq(graphdb.BlockRefs, mark) {
				if IsPage(r, e) {
					continue // as for marked
				}
				for _, hidden := range Subtree(r, e) { // not by :block/parents, which not every snapshot holds
					if !yield(hidden) {
						return
					}
				}
			}
		}
	}
}

// Block is one block of a tree, as markdown and imports give it and as writes
// take it.
type Block struct {
	String           string
	UID              string // "": one is made
	Heading          int    // 1 to 3; 0: none
	Collapsed        bool   // children are folded away (:block/open false)
	TextAlign        string // "left", "center", "right", "justify"; "": not set
	ChildrenViewType string // "bullet", "numbered", "document"; "": not set
	BlockViewType    string // "outline", "horizontal-outline", …; "": not set
	Props            string // JSON; "": none
	Children         []Block

	// Annotation holds the attributes of the tag <roam …/> behind the text. Only
	// ParseAnnotated and AnnotatedMarkdown know it; nil: there is no tag.
	Annotation map[string]string
}
