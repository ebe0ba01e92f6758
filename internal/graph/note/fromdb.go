package note

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
)

// FromDB returns a page or a block of a snapshot with all that is below it. It reports
// false for an entity that is neither.
func FromDB(r graphdb.Reader, e graphdb.EID) (Node, bool) {
	if !outline.IsPage(r, e) && !outline.IsBlock(r, e) {
		return Node{}, false
	}
	d := reading{r: r, seen: map[graphdb.EID]bool{}}
	page := d.pageOf(e)
	n := d.node(e, page)
	n.Hidden = outline.Hidden(r, e)
	return n, true
}

// reading reads one node.
type reading struct {
	r    graphdb.Reader
	seen map[graphdb.EID]bool // an imported dump may hold a block twice, or in a circle
}

// place is a page in the fields of a block.
type place struct{ uid, title string }

func (d reading) node(e graphdb.EID, page place) Node {
	d.seen[e] = true
	n := Node{UID: d.r.String(e, graphdb.BlockUID), Title: d.r.String(e, graphdb.NodeTitle), Shortcut: -1}
	if n.IsPage() {
		page = place{n.UID, n.Title}
		if at, ok := d.r.Int(e, graphdb.PageSidebar); ok {
			n.Shortcut = int(at)
		}
	} else {
		n.PageUID, n.PageTitle = page.uid, page.title
	}
	b := outline.ReadBlock(d.r, e)
	n.Text, n.Heading, n.View, n.Align, n.Collapsed = b.String, b.Heading, b.ChildrenViewType, b.TextAlign, b.Collapsed
	n.Created, _ = d.r.Int(e, graphdb.CreateTime)
	n.Edited, _ = d.r.Int(e, graphdb.EditTime)
	if edited, ok := d.r.Int(e, graphdb.PageEditTime); ok {
		n.Edited = max(n.Edited, edited)
	}
	n.Creator, n.Editor = d.user(e, graphdb.CreateUser), d.user(e, graphdb.EditUser)
	for _, to := range d.r.Refs(e, graphdb.BlockRefs) {
		ref := d.ref(to)
		n.Refs = append(n.Refs, ref)
		n.Hidden = n.Hidden || !n.IsPage() && Hides(ref.Title)
	}
	for _, k := range outline.Children(d.r, e) {
		if !d.seen[k] {
			n.Children = append(n.Children, d.node(k, page))
		}
	}
	return n
}

func (d reading) user(e graphdb.EID, a graphdb.Attr) User {
	u := d.r.Ref(e, a)
	if u == 0 {
		return User{}
	}
	return User{UID: d.r.String(u, graphdb.UserUID), Name: d.r.String(u, graphdb.UserDisplayName)}
}

func (d reading) ref(e graphdb.EID) Ref {
	ref := Ref{UID: d.r.String(e, graphdb.BlockUID), Title: d.r.String(e, graphdb.NodeTitle)}
	if ref.Title != "" {
		ref.Empty = !d.hasVisible(e)
		return ref
	}
	ref.Text = d.r.String(e, graphdb.BlockString)
	page := d.pageOf(e)
	ref.PageUID, ref.PageTitle = page.uid, page.title
	ref.Hidden = outline.Hidden(d.r, e)
	return ref
}

// hasVisible reports whether a page has a block that is not hidden.
func (d reading) hasVisible(page graphdb.EID) bool {
	return slices.ContainsFunc(d.r.Refs(page, graphdb.BlockChildren), func(k graphdb.EID) bool { return !outline.Hidden(d.r, k) })
}

// pageOf returns the page that a block is on.
func (d reading) pageOf(e graphdb.EID) place {
	page := d.r.Ref(e, graphdb.BlockPage)
	if page == 0 {
		if above := outline.Ancestors(d.r, e); len(above) > 0 {
			page = above[0]
		}
	}
	return place{d.r.String(page, graphdb.BlockUID), d.r.String(page, graphdb.NodeTitle)}
}

// HidesItself reports whether the text of a block hides it, and all below it, from agents.
func HidesItself(text string) bool { return Read(text, false).Hides }

// Hides reports whether the mention of a title hides the block that mentions it.
func Hides(title string) bool { return title == ".rm-hide" || title == ".rm-private" }

// isMark reports whether a title is one of those that Roam gives a meaning of its own:
// .rm-hide, .rm-E and so on.
func isMark(title string) bool { return strings.HasPrefix(title, ".rm-") }
