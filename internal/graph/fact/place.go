package fact

import (
	"cmp"
	"slices"
)

// fact returns what was pulled of an entity itself.
func (p *pulled) fact() Fact {
	f := Fact{
		UID: p.uid, Heading: p.heading, Open: p.open, Align: keyword(p.align), ChildrenView: keyword(p.childrenView),
		BlockView: keyword(p.blockView), Order: p.order, Shortcut: p.shortcut, Daily: given(p.day), Created: p.created, Edited: p.edited,
		Other: slices.Sorted(slices.Values(p.other)),
	}
	if p.title != nil {
		f.Title, f.Page = *p.title, p.uid
	}
	if p.text != nil {
		f.Text = *p.text
	}
	if given(p.props) {
		f.Props = canonical(p.props) // Roam sends them in any order
	}
	if p.editor != nil {
		f.Editor, f.EditorName = p.editor.uid, p.editor.name
	}
	if p.page != nil {
		f.Page, f.PageTitle = p.page.uid, pageTitle(p.page)
	}
	if len(p.parents) > 0 {
		f.Parent = p.parents[0].uid
		family := inOrder(p.parents[0].children)
		if at := slices.Index(family, p.uid); at >= 0 {
			f.Left, f.Right = neighbours(family, at)
		}
	}
	return f
}

// given reports whether a value was there.
func given(value []byte) bool { return len(value) > 0 && string(value) != "null" }

// keyword returns the last part of a keyword, without its colon.
func keyword(text string) string {
	if len(text) > 0 && text[0] == ':' {
		return text[1:]
	}
	return text
}

// sortChildren returns children in their order, less those that were shown before. A pulled is
// large, and there may be thousands, so that none is moved.
func sortChildren(children []pulled) []*pulled {
	sorted := make([]*pulled, 0, len(children))
	for i := range children {
		if children[i].uid != "" {
			sorted = append(sorted, &children[i])
		}
	}
	slices.SortStableFunc(sorted, func(a, b *pulled) int { return cmp.Compare(a.order, b.order) })
	return sorted
}

// inOrder returns the uids of children in their order; never nil.
func inOrder(children []pulled) []string {
	sorted := sortChildren(children)
	uids := make([]string, len(sorted))
	for i, child := range sorted {
		uids[i] = child.uid
	}
	return uids
}

func neighbours(family []string, at int) (left, right string) {
	if at > 0 {
		left = family[at-1]
	}
	if at < len(family)-1 {
		right = family[at+1]
	}
	return left, right
}

// tree adds what was pulled of an entity, and of all below it. f is its own fact; each
// is called for each of them.
func (r *reading) tree(p *pulled, f Fact, each func(*pulled) error) error {
	f.Children = inOrder(p.children)
	if err := r.add(f); err != nil {
		return err
	}
	if err := each(p); err != nil {
		return err
	}
	for i, child := range sortChildren(p.children) {
		below := child.fact()
		below.Parent, below.Page = f.UID, f.Page
		below.Left, below.Right = neighbours(f.Children, i)
		if err := r.tree(child, below, each); err != nil {
			return err
		}
	}
	return nil
}
