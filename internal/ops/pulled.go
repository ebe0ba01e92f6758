package ops

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"

	"roam-mcp/internal/graph/note"
)

// pulledNote is a page or a block as notePattern pulls it.
type pulledNote struct {
	UID        string       `json:"uid"`
	Title      string       `json:"title"`
	String     string       `json:"string"`
	Heading    int          `json:"heading"`
	View       string       `json:"view"`
	Align      string       `json:"align"`
	Open       *bool        `json:"open"`
	Order      int          `json:"order"`
	Created    int64        `json:"created"`
	Edited     int64        `json:"edited"`
	PageEdited int64        `json:"pageEdited"`
	Shortcut   *int         `json:"shortcut"`
	Creator    note.User    `json:"creator"`
	Editor     note.User    `json:"editor"`
	Page       pulledRef    `json:"page"`
	Above      []pulledRef  `json:"above"`
	Refs       []pulledRef  `json:"refs"`
	Children   []pulledNote `json:"children"`
}

// pulledRef is what a block refers to, or what is above a block.
type pulledRef struct {
	UID      string      `json:"uid"`
	Title    string      `json:"title"`
	String   string      `json:"string"`
	Page     *pulledRef  `json:"page"`
	Marks    []pulledRef `json:"marks"` // what it refers to itself
	Above    []pulledRef `json:"above"`
	Children []pulledRef `json:"children"` // two at most
}

// decodePulled reads an answer with pulled maps. Each key is named with :as, so that one
// which into has no field for shows that Roam heeds no :as: what was named would be
// missing in silence.
func decodePulled(answer json.RawMessage, into any) error {
	d := json.NewDecoder(bytes.NewReader(answer))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("something follows the answer")
	}
	return invalidNote(err)
}

// note returns the page or block. It is an error if something in it has no uid.
func (p *pulledNote) note() (note.Node, error) {
	page := p.Page
	if p.Title != "" {
		page = pulledRef{UID: p.UID, Title: p.Title}
	}
	n, err := p.node(page, map[string]bool{})
	n.Hidden = n.Hidden || p.Title == "" && slices.ContainsFunc(p.Above, pulledRef.marked)
	return n, err
}

// node returns what is pulled, on a page. A damaged graph may hold a block twice: of
// those in seen, by uid, no second one is taken.
func (p *pulledNote) node(page pulledRef, seen map[string]bool) (note.Node, error) {
	if p.UID == "" {
		return note.Node{}, errors.New("a page or block without a uid")
	}
	seen[p.UID] = true
	n := note.Node{
		UID: p.UID, Title: p.Title, Text: p.String, View: keyword(p.View), Align: keyword(p.Align), Collapsed: p.Open != nil && !*p.Open,
		Created: p.Created, Edited: max(p.Edited, p.PageEdited), Creator: p.Creator, Editor: p.Editor, Shortcut: -1,
	}
	if p.Heading >= 0 && p.Heading <= 3 {
		n.Heading = p.Heading
	}
	if p.Title == "" {
		n.PageUID, n.PageTitle = page.UID, page.Title
	} else if p.Shortcut != nil {
		n.Shortcut = *p.Shortcut
	}
	for _, ref := range p.Refs {
		n.Refs = append(n.Refs, ref.ref())
	}
	n.Hidden = p.Title == "" && hides(p.Refs)
	slices.SortStableFunc(p.Children, func(a, b pulledNote) int { return cmp.Compare(a.Order, b.Order) })
	for i := range p.Children {
		if seen[p.Children[i].UID] {
			continue
		}
		child, err := p.Children[i].node(page, seen)
		if err != nil {
			return note.Node{}, err
		}
		n.Children = append(n.Children, child)
	}
	return n, nil
}

func (r pulledRef) ref() note.Ref {
	ref := note.Ref{UID: r.UID, Title: r.Title}
	if r.Title != "" {
		ref.Empty = len(r.Children) == 0 || len(r.Children) == 1 && r.Children[0].marked()
		return ref
	}
	ref.Text, ref.Hidden = r.String, r.marked() || slices.ContainsFunc(r.Above, pulledRef.marked)
	if r.Page != nil {
		ref.PageUID, ref.PageTitle = r.Page.UID, r.Page.Title
	}
	return ref
}

// marked reports whether r is a block that hides itself and what is below it
// (LOCAL_API.md 9.7). A page's title may mention the tag without hiding it.
func (r pulledRef) marked() bool { return r.Title == "" && hides(r.Marks) }

// hides reports whether references hide the block that has them.
func hides(refs []pulledRef) bool {
	return slices.ContainsFunc(refs, func(ref pulledRef) bool { return note.Hides(ref.Title) })
}
