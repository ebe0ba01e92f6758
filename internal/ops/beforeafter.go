package ops

import (
	"fmt"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/rawjson"
)

// maxUpdateText is how many characters of a block the reply to an update shows.
const maxUpdateText = 200

// edited holds the blocks that a call updates, by uid.
type edited struct {
	was map[string]note.Node // right before
	now map[string]fact.Fact // as a write of the call has read it
}

// noteBefore records the state of the blocks that the call is about to update.
func (d *done) noteBefore(was map[string]note.Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.edited = edited{was, map[string]fact.Fact{}}
}

// noteAfter records what was read of these blocks after a write; nil if nothing was.
func (d *done) noteAfter(after *fact.State) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for uid := range d.edited.was {
		if after != nil {
			if f, read := after.Things[uid]; read {
				d.edited.now[uid] = f
			}
		}
	}
}

// BeforeAndAfter returns the block of a completed update before and after it, in the
// fields was and markdown, without its children. It returns nil if the block was or is now
// hidden, or was not read before. If it was not read afterwards, the update is taken to be
// what has changed.
func (g *core) BeforeAndAfter(u BlockUpdate) rawjson.Object {
	g.done.mu.Lock()
	defer g.done.mu.Unlock()
	n, known := g.done.edited.was[u.UID]
	open := !n.Collapsed
	was := fact.Fact{Text: n.Text, Heading: n.Heading, Open: &open, ChildrenView: n.View}
	now, read := g.done.edited.now[u.UID]
	if !read {
		now = u.applied(was)
	}
	if !known || n.Hidden || note.HidesItself(now.Text) {
		return nil
	}
	// was is without a uid, so that it is not taken for what is there.
	return rawjson.With("was", factLine(was, "")).With("markdown", factLine(now, u.UID))
}

// applied returns a block with the update applied.
func (u BlockUpdate) applied(f fact.Fact) fact.Fact {
	if u.String != nil {
		f.Text = *u.String
	}
	if u.Heading != nil {
		f.Heading = *u.Heading
	}
	if u.Open != nil {
		f.Open = u.Open
	}
	if u.ViewType != nil {
		f.ChildrenView = *u.ViewType
	}
	return f
}

// factLine returns the first line of a block as a read shows it, with its attributes in
// the tag.
func factLine(f fact.Fact, uid string) string {
	text, cut := cutLine(f.Text, maxUpdateText)
	var tag strings.Builder
	add := func(name string, value any) { fmt.Fprintf(&tag, " %s=%q", name, fmt.Sprint(value)) }
	if uid != "" {
		add("uid", uid)
	}
	if f.Heading > 0 {
		add("heading", f.Heading)
	}
	if !f.IsOpen() {
		add("folded", true)
	}
	if f.ChildrenView != "" && f.ChildrenView != bullet {
		add("childrenViewType", f.ChildrenView)
	}
	if cut > 0 {
		add("truncated", cut)
	}
	if tag.Len() == 0 {
		return "- " + text
	}
	return "- " + text + " <roam" + tag.String() + "/>"
}
