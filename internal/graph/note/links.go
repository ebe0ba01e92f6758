package note

// Links returns the pages that a node links to, each once, in order of first mention:
// those that a visible block mentions as link or tag, and those of visible blocks that
// it mentions. A line that declares tags links to nothing; a page does not link to itself,
// and system pages are no targets.
func Links(n Node) []Ref {
	if n.Hidden {
		return nil
	}
	l := links{seen: map[string]bool{n.UID: true, n.PageUID: !n.IsPage(), "": true}}
	if !n.IsPage() {
		l.of(&n)
	}
	for i := range n.Children {
		c := &n.Children[i]
		if c.Hidden {
			continue
		}
		if !DeclaresTags(c.Text) {
			l.of(c)
		}
		for b := range c.blocks() {
			l.of(b)
		}
	}
	return l.found
}

type links struct {
	found []Ref
	seen  map[string]bool // by uid
}

// of adds the pages that one block links to. What Roam has not resolved is left out.
func (l *links) of(b *Node) {
	if len(b.Refs) == 0 {
		return
	}
	titles, uids := map[string]*Ref{}, map[string]*Ref{}
	for i := range b.Refs {
		if r := &b.Refs[i]; r.Title != "" {
			titles[r.Title] = r
		} else {
			uids[r.UID] = r
		}
	}
	for _, m := range Mentions(b.Text) {
		switch m.Kind {
		case Link, Tag:
			if r := titles[m.Title]; r != nil {
				l.add(*r)
			}
		case Block:
			if r := uids[m.UID]; r != nil && !r.Hidden {
				l.add(Ref{UID: r.PageUID, Title: r.PageTitle})
			}
		case Component, Attribute:
		}
	}
}

func (l *links) add(page Ref) {
	if !l.seen[page.UID] && KindOfTitle(page.Title) != System {
		l.seen[page.UID] = true
		l.found = append(l.found, page)
	}
}
