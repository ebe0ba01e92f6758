package outline

import (
	"slices"
	"strings"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/roamtext"
)

// Flattened returns how many blocks CreateBlocks has put on a higher level than it
// was asked for, since they were deeper than MaxDepth.
func (w *Writer) Flattened() int { return w.flattened }

// CreateBlocks adds trees at a location and gives the uids of the top blocks,
// in order. A uid that is taken is CodeAlreadyExists, a parent that is not
// there CodeNotFound, one on the last level CodeInvalid. Blocks that would be below
// that level are put on it, see Flattened.
func (w *Writer) CreateBlocks(at Location, blocks []Block) ([]string, error) {
	parent, err := w.resolve(at)
	if err != nil {
		return nil, err
	}
	level, err := levelBelow(w.tx, parent)
	if err != nil {
		return nil, err
	}
	if level+height(blocks)-1 > MaxDepth {
		var moved int
		blocks, moved = flatten(blocks, level)
		w.flattened += moved
	}
	made := make([]graphdb.EID, 0, len(blocks))
	uids := make([]string, 0, len(blocks))
	for _, b := range blocks {
		e, err := w.createTree(parent, b)
		if err != nil {
			return nil, err
		}
		made = append(made, e)
		uids = append(uids, w.tx.String(e, graphdb.BlockUID))
	}
	for _, e := range made { // only now, since the blocks may refer to each other
		for _, b := range Subtree(w.tx, e) {
			if err := w.relink(b, TextOf(w.tx, b)); err != nil {
				return nil, err
			}
		}
	}
	return uids, w.insert(parent, at.Order, made)
}

// createTree makes a block and what is below it; the caller puts it among its
// parent's children.
func (w *Writer) createTree(parent graphdb.EID, b Block) (graphdb.EID, error) {
	e, err := w.create(parent, b)
	if err != nil {
		return 0, err
	}
	kids := make([]graphdb.EID, 0, len(b.Children))
	for _, c := range b.Children {
		k, err := w.createTree(e, c)
		if err != nil {
			return 0, err
		}
		kids = append(kids, k)
	}
	return e, w.adopt(e, kids)
}

// create makes one block below a parent, with no order and no references yet.
func (w *Writer) create(parent graphdb.EID, b Block) (graphdb.EID, error) {
	uid, err := w.claimUID(b.UID)
	if err != nil {
		return 0, err
	}
	e := w.tx.NewEntity()
	if err := w.tx.SetAll(e, map[graphdb.Attr]graphdb.Value{
		graphdb.BlockUID:    graphdb.StringValue(uid),
		graphdb.BlockString: graphdb.StringValue(DecodeAnnotations(b.String)),
	}); err != nil {
		return 0, err
	}
	open := !b.Collapsed
	update := BlockUpdate{
		Heading: &b.Heading, Open: &open,
		TextAlign: &b.TextAlign, ChildrenViewType: &b.ChildrenViewType, BlockViewType: &b.BlockViewType, Props: &b.Props,
	}
	if err := w.change(e, update); err != nil {
		return 0, err
	}
	if err := w.place(e, parent); err != nil {
		return 0, err
	}
	return e, w.stampCreated(e)
}

// claimUID checks a uid that was asked for, or makes one.
func (w *Writer) claimUID(uid string) (string, error) {
	switch {
	case uid == "":
		return w.freshUID()
	case !roamtext.ValidUID(uid):
		return "", invalid("%s can't be a uid: it has at most %d characters, and no brackets, quotes or white space among them.", quoted(uid), roamtext.MaxUID)
	case ByUID(w.tx, uid) != 0:
		return "", exists("An entity with uid %s already exists.", quoted(uid))
	}
	return uid, nil
}

// BlockUpdate holds what changes; nil leaves a field as it is.
type BlockUpdate struct {
	String           *string
	Heading          *int // 0 to 3; 0 takes the heading away
	Open             *bool
	TextAlign        *string // left, center, right, justify; "" takes it away
	ChildrenViewType *string // bullet, numbered, document; "" takes it away
	BlockViewType    *string // outline, horizontal-outline, popout, tabs, comment, side, vertical; "" takes it away
	Props            *string // JSON; "" takes them away
}

var (
	alignments = []string{"left", "center", "right", "justify"}
	childViews = []string{"bullet", "numbered", "document"}
	blockViews = []string{"outline", "horizontal-outline", "popout", "tabs", "comment", "side", "vertical"}
)

// UpdateBlock changes the given fields of a block. A string is taken as it is,
// but for the annotations of a read, which are decoded (LOCAL_API.md 9.4).
func (w *Writer) UpdateBlock(uid string, update BlockUpdate) error {
	e, err := w.block(uid)
	if err != nil {
		return err
	}
	if err := w.change(e, update); err != nil {
		return err
	}
	return w.stampEdited(e)
}

// block finds a block to write to.
func (w *Writer) block(uid string) (graphdb.EID, error) {
	e := ByUID(w.tx, uid)
	switch {
	case e != 0 && IsPage(w.tx, e):
		return 0, invalid("%s is a page, not a block.", quoted(uid))
	case e == 0 || !IsBlock(w.tx, e):
		return 0, notFound("Block with uid %s doesn't exist.", quoted(uid))
	}
	return e, nil
}

func (w *Writer) change(e graphdb.EID, u BlockUpdate) error {
	if u.String != nil {
		if err := w.setText(e, DecodeAnnotations(*u.String)); err != nil {
			return err
		}
	}
	if u.Heading != nil {
		if *u.Heading < 0 || *u.Heading > 3 {
			return invalid("A heading is 0 (none), 1, 2 or 3, not %d.", *u.Heading)
		}
		if err := w.setOrRetract(e, graphdb.BlockHeading, graphdb.IntValue(int64(*u.Heading)), *u.Heading > 0); err != nil {
			return err
		}
	}
	if u.Open != nil {
		if err := w.tx.Set(e, graphdb.BlockOpen, graphdb.BoolValue(*u.Open)); err != nil {
			return err
		}
	}
	if u.Props != nil {
		props, err := storedJSON(*u.Props)
		if err != nil {
			return err
		}
		if err := w.setOrRetract(e, graphdb.BlockProps, graphdb.OpaqueValue(graphdb.Opaque(props)), props != ""); err != nil {
			return err
		}
	}
	if u.TextAlign != nil {
		if *u.TextAlign != "" && !slices.Contains(alignments, *u.TextAlign) {
			return invalid("text-align is one of %s, not %s.", strings.Join(alignments, ", "), quoted(*u.TextAlign))
		}
		if err := w.setOrRetract(e, graphdb.BlockTextAlign, graphdb.StringValue(*u.TextAlign), *u.TextAlign != ""); err != nil {
			return err
		}
	}
	if err := w.setView(e, graphdb.ChildrenViewType, "children-view-type", u.ChildrenViewType, childViews); err != nil {
		return err
	}
	return w.setView(e, graphdb.BlockViewType, "block-view-type", u.BlockViewType, blockViews)
}

// setView stores one of a few keywords, given with or without its colon.
func (w *Writer) setView(e graphdb.EID, a graphdb.Attr, name string, view *string, known []string) error {
	if view == nil {
		return nil
	}
	v := plainKeyword(*view)
	if v != "" && !slices.Contains(known, v) {
		return invalid("%s is one of %s, not %s.", name, strings.Join(known, ", "), quoted(v))
	}
	return w.setOrRetract(e, a, graphdb.KeywordValue(graphdb.Keyword(":"+v)), v != "")
}

// MoveBlock puts a block with everything below it somewhere else. Both ends
// must exist, and the new place must not lie in the block itself. Order counts
// the siblings without the block.
func (w *Writer) MoveBlock(uid string, at Location) error {
	e, err := w.block(uid)
	if err != nil {
		return err
	}
	to, err := w.resolve(at)
	if err != nil {
		return err
	}
	if to == e || slices.Contains(Ancestors(w.tx, to), e) {
		return invalid("Block %s can't be moved under itself or a block below it.", quoted(uid))
	}
	if err := checkDepth(w.tx, e, to); err != nil {
		return err
	}
	if !w.quietMoves {
		if err := w.stampPage(e); err != nil { // which it may leave
			return err
		}
	}
	if err := w.detach(e); err != nil {
		return err
	}
	if err := w.insert(to, at.Order, []graphdb.EID{e}); err != nil {
		return err
	}
	if err := w.replace(e); err != nil {
		return err
	}
	return w.stampMoved(e)
}

// replace brings page and ancestors of a block and all below it in step with
// the tree.
func (w *Writer) replace(e graphdb.EID) error {
	for _, b := range Subtree(w.tx, e) {
		if err := w.place(b, Parent(w.tx, b)); err != nil {
			return err
		}
	}
	return nil
}
