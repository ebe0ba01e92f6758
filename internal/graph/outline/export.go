package outline

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"

	"roam-mcp/internal/graph/graphdb"
)

// exportOf is a page or block in the form that ImportJSON reads.
type exportOf struct {
	Title            string          `json:"title,omitempty"`
	String           *string         `json:"string,omitempty"`
	UID              string          `json:"uid,omitempty"`
	CreateTime       *int64          `json:"create-time,omitempty"`
	EditTime         *int64          `json:"edit-time,omitempty"`
	CreateUser       *exportedUser   `json:":create/user,omitempty"`
	EditUser         *exportedUser   `json:":edit/user,omitempty"`
	Heading          int             `json:"heading,omitempty"`
	Open             *bool           `json:"open,omitempty"` // only where it is false
	TextAlign        string          `json:"text-align,omitempty"`
	ChildrenViewType string          `json:":children/view-type,omitempty"`
	BlockViewType    string          `json:":block/view-type,omitempty"`
	Props            json.RawMessage `json:"props,omitempty"`
	BlockProps       json.RawMessage `json:":block/props,omitempty"`
	Emojis           json.RawMessage `json:"emojis,omitempty"`
	EntEmojis        json.RawMessage `json:":ent/emojis,omitempty"`
	Refs             []exportedRef   `json:"refs,omitempty"`
	BlockRefs        []qualifiedRef  `json:":block/refs,omitempty"`
	LogID            *int64          `json:":log/id,omitempty"`
	Sidebar          *int64          `json:":page/sidebar,omitempty"`
	Children         []exportOf      `json:"children,omitempty"`
}

// exportedRef and qualifiedRef name what a text refers to, for programs that read
// exports: ImportJSON takes references from the texts.
type (
	exportedRef struct {
		UID string `json:"uid"`
	}
	qualifiedRef struct {
		UID string `json:":block/uid"`
	}
)

// ExportJSON writes all pages with their trees as a Roam JSON export, in order
// of entity, a page at a time. Reading it back gives the same pages and trees;
// blocks that belong to no page, and a page without a title, are not in it. Blocks
// below MaxDepth, which a dump may hold, are on that level.
func ExportJSON(ctx context.Context, out io.Writer, r graphdb.Reader) error {
	w := bufio.NewWriter(out)
	before := "[\n"
	for e, title := range r.Entities(graphdb.NodeTitle) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if title.Text() == "" {
			continue // dumps may hold such a page; Roam's own export leaves it out, too
		}
		exported := exportEntity(r, e)
		exportChildren(r, e, 1, map[graphdb.EID]bool{e: true}, &exported.Children)
		page, err := json.Marshal(exported)
		if err != nil {
			return err
		}
		_, _ = w.WriteString(before)
		_, _ = w.Write(page)
		before = ",\n"
	}
	if before == "[\n" {
		_, _ = w.WriteString("[")
	}
	_, _ = w.WriteString("]\n")
	return w.Flush() // gives the first error of the writes above
}

// exportEntity returns a page or block without its children.
func exportEntity(r graphdb.Reader, e graphdb.EID) exportOf {
	b := ReadBlock(r, e)
	x := exportOf{
		UID: b.UID, Heading: b.Heading, TextAlign: b.TextAlign,
		ChildrenViewType: r.String(e, graphdb.ChildrenViewType), BlockViewType: r.String(e, graphdb.BlockViewType),
		CreateUser: exportUser(r, e, graphdb.CreateUser), EditUser: exportUser(r, e, graphdb.EditUser),
		CreateTime: exportInt(r, e, graphdb.CreateTime), EditTime: exportInt(r, e, graphdb.EditTime),
		LogID: exportInt(r, e, graphdb.LogID), Sidebar: exportInt(r, e, graphdb.PageSidebar),
	}
	if IsPage(r, e) {
		x.Title = r.String(e, graphdb.NodeTitle)
	} else {
		x.String = &b.String
		if b.Collapsed {
			x.Open = new(bool)
		}
		props, emojis := r.String(e, graphdb.BlockProps), r.String(e, graphdb.EntEmojis)
		x.Props, x.BlockProps = json.RawMessage(b.Props), json.RawMessage(propsJSON(props, true))
		x.Emojis, x.EntEmojis = json.RawMessage(propsJSON(emojis, false)), json.RawMessage(propsJSON(emojis, true))
	}
	for _, uid := range refUIDs(r, e) {
		x.Refs, x.BlockRefs = append(x.Refs, exportedRef{uid}), append(x.BlockRefs, qualifiedRef{uid})
	}
	return x
}

// exportChildren adds the children of a page or block, which are on a level from 1.
func exportChildren(r graphdb.Reader, e graphdb.EID, level int, seen map[graphdb.EID]bool, to *[]exportOf) {
	for _, k := range Children(r, e) {
		if seen[k] {
			continue
		}
		seen[k] = true
		*to = append(*to, exportEntity(r, k))
		below := to
		if level < MaxDepth {
			below = &(*to)[len(*to)-1].Children
		}
		exportChildren(r, k, level+1, seen, below)
	}
}

// refUIDs returns the uids of what a text refers to, sorted.
func refUIDs(r graphdb.Reader, e graphdb.EID) []string {
	var uids []string
	for _, to := range r.Refs(e, graphdb.BlockRefs) {
		if uid := r.String(to, graphdb.BlockUID); uid != "" {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids
}

// exportInt keeps apart a number that is 0, as times in old graphs are, and none.
func exportInt(r graphdb.Reader, e graphdb.EID, a graphdb.Attr) *int64 {
	if n, ok := r.Int(e, a); ok {
		return &n
	}
	return nil
}

func exportUser(r graphdb.Reader, e graphdb.EID, a graphdb.Attr) *exportedUser {
	if uid := r.String(r.Ref(e, a), graphdb.UserUID); uid != "" {
		return &exportedUser{UID: uid}
	}
	return nil
}
