package notes

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/mcpserve/surface"
)

// edit is what a draft makes of the blocks of a note: the difference between what the
// connection was shown of them and what it sends.
type edit struct {
	found
	promoted   *found // the quick note that becomes a page; nil: none does
	call       surface.Call
	draft      draft
	now        shown.Current
	want       []outline.Block   // all that is to be below the page; of a quick note its block
	properties map[string]string // the whole line of each that changes, by name; "": none
	images     *[]string         // addresses
	tags       *[]string         // of front matter of the content; nil: it has none
	merged     *shown.Merged     // nil: what was shown makes no difference
}

// editOf plans a change. It writes nothing, except that it uploads pictures: last, so that
// none is uploaded for a change that is refused. Content comes before items, which are merged
// into what it leaves, and before labels, which may be those of its front matter.
func editOf(ctx context.Context, c surface.Call, f found, d draft) (*edit, error) {
	e := &edit{found: f, call: c, draft: d, properties: map[string]string{}}
	if f.quick && d.title != nil {
		e.found, e.promoted = f.lifted(*d.title), &f
	}
	e.now = e.current()
	e.want = e.now.Node.Outline()
	setProperties(e.properties, d)
	e.setPinned()
	if err := e.mergeContent(); err != nil {
		return nil, err
	}
	if err := e.mergeItems(); err != nil {
		return nil, err
	}
	if err := e.mergeLabels(ctx); err != nil {
		return nil, err
	}
	if err := e.permit(ctx); err != nil {
		return nil, err
	}
	if err := e.mergeImages(ctx); err != nil {
		return nil, err
	}
	w := noteTarget{properties: e.properties, images: e.images, typed: d.content != nil || d.items != nil}
	switch {
	case d.items != nil && len(*d.items) > 0:
		w.kind = typeChecklist
	case e.promoted != nil:
		w.kind, w.typed = e.promoted.kind, true // the text of the block counts now
	}
	e.setBelow(e.rewritten(e.planOf(e.below()), w))
	if e.merged != nil {
		merged := e.merged.And(e.now, e.want)
		e.merged = &merged
	}
	return e, nil
}

// permit refuses a change of several writes of which one would be refused.
func (e *edit) permit(ctx context.Context) error {
	d := e.draft
	steps := len(d.below())
	for _, step := range []bool{d.title != nil, d.pinned != nil, d.images != nil, e.promoted != nil} {
		if step {
			steps++
		}
	}
	if steps < 2 {
		return nil
	}
	g := e.call.Graph()
	writes := []ops.Footprint{g.Revision(e.whole, e.below())}
	if e.quick {
		writes = append(writes, ops.BlockUpdate{UID: e.node.UID, String: &e.want[0].String}.Footprint())
	}
	if d.title != nil {
		writes = append(writes, ops.PageUpdate{UID: e.whole.UID, Title: *d.title}.Footprint())
	}
	return g.Permit(ctx, writes...)
}

// below returns the blocks that are to be directly below the note.
func (e *edit) below() []outline.Block {
	if e.quick {
		return e.want[0].Children
	}
	return e.want
}

func (e *edit) setBelow(blocks []outline.Block) {
	if e.quick {
		e.want = slices.Clone(e.want)
		e.want[0].Children = blocks
		return
	}
	e.want = blocks
}

// lifted returns a quick note as the page that it becomes: the text of its block stands
// first, and then what is below it.
func (f *found) lifted(title string) found {
	page, own := note.Node{UID: f.whole.UID, Shortcut: -1}, f.whole
	if own.Children = nil; strings.TrimSpace(own.Text) != "" {
		page.Children = []note.Node{own}
	}
	page.Children = slices.Concat(page.Children, f.whole.Children)
	titled := page
	titled.Title = title
	return found{newEntry(titled, f.location), page}
}

// setPinned sets the line of a note that is not pinned by a shortcut.
func (e *edit) setPinned() {
	switch pinned := e.draft.pinned; {
	case pinned == nil:
	case e.quick:
		e.properties[propPinned] = line(propPinned, whether(*pinned))
	case !*pinned:
		e.properties[propPinned] = ""
	}
}

// mergeContent makes the note what the content makes of it.
func (e *edit) mergeContent() error {
	if e.draft.content == nil {
		return nil
	}
	how := e.reading("content")
	seen, err := e.call.Shown().Read(e.now, how)
	if err != nil {
		return err
	}
	if e.promoted != nil {
		seen = seen.Lifted(e.promoted.whole.UID)
	} else if title := e.draft.title; title != nil && *title == seen.Title {
		e.draft.title = nil
	}
	sent, err := seen.Parse(*e.draft.content, how)
	if err != nil {
		return err
	}
	if sent.Tags != nil {
		e.tags = &sent.Tags
	}
	if e.quick || e.promoted != nil {
		switch top, rest := e.quickParts(seen, sent); {
		case e.quick:
			top.Children = slices.Concat(top.Children, rest)
			sent.Blocks = []outline.Block{top}
		case top.String == "":
			sent.Blocks = rest
		default:
			sent.Blocks = slices.Concat([]outline.Block{top}, rest)
		}
	}
	return e.merge(seen, sent, leading(e.planOf(e.below())), how)
}

// quickParts returns the block of a quick note as it was sent, and what is to stand below
// it beside what it has.
func (e *edit) quickParts(seen shown.Note, sent shown.Sent) (top outline.Block, rest []outline.Block) {
	own, blocks := e.node, sent.Blocks
	if e.promoted != nil {
		own = e.promoted.node
	}
	top = outline.Block{UID: own.UID}
	part, ofPart := sent.Part(seen)
	switch {
	case ofPart && len(blocks) > 0 && blocks[0].UID == own.UID:
		return top, slices.Concat(blocks[0].Children, blocks[1:])
	case ofPart && !slices.Contains(part.Shown, own.UID):
		return top, blocks
	}
	past := aValue
	if holdsValue(own.Text) { // as the text of a block that holds nothing
		past = noBlock
	}
	top, rest = quickPartsPast(sent.Parsed, isBullet(part.Lead+*e.draft.content), past)
	top.UID = own.UID
	return top, rest
}

// mergeItems makes the items those that were sent.
func (e *edit) mergeItems() error {
	if e.draft.items == nil {
		return nil
	}
	how := e.reading("checkItems")
	seen, err := e.call.Shown().ReadItems(e.now, how)
	if err != nil {
		return err
	}
	if e.promoted != nil {
		seen = seen.Lifted(e.promoted.whole.UID)
	}
	blocks := itemBlocks(seen.Items(), *e.draft.items)
	if e.quick {
		blocks = []outline.Block{{UID: e.node.UID, Children: blocks}}
	}
	_, known := e.call.Shown().Note(e.node.UID)
	contentToo := e.merged != nil
	err = e.merge(seen, shown.SentItems(blocks), behindItems(e.planOf(e.below())), how)
	if !known && !contentToo { // what the reply shows is all that is known of it
		e.merged = nil
	}
	return err
}

// merge makes the note what was sent of it. What is new has no uid.
func (e *edit) merge(seen shown.Note, sent shown.Sent, at int, how shown.Reading) error {
	now, names := e.now, 0
	now.Node.Children = nodesOf(mapBlocks(e.want, func(b *outline.Block) {
		if b.UID == "" { // one of an earlier merge
			names++
			b.UID = fmt.Sprint(newBlock, names)
		}
	}))
	merged, err := e.call.Shown().Merge(seen, sent, now, at, how)
	if err != nil {
		return err
	}
	e.merged = &merged
	e.want = mapBlocks(merged.Want, func(b *outline.Block) {
		if strings.HasPrefix(b.UID, newBlock) {
			b.UID = ""
		}
	})
	return nil
}

// newBlock begins the placeholder for the uid of a block that is to be made. No uid has blanks.
const newBlock = "new block "

// mapBlocks returns a copy of blocks with change applied to each, those below included.
func mapBlocks(blocks []outline.Block, change func(*outline.Block)) []outline.Block {
	out := slices.Clone(blocks)
	for i := range out {
		change(&out[i])
		out[i].Children = mapBlocks(out[i].Children, change)
	}
	return out
}

// itemBlocks returns the blocks of items that were sent. One is the block that has its id,
// or else its text, and is as it was shown unless something in it is to change.
func itemBlocks(were []outline.Block, items []item) []outline.Block {
	blocks := make([]outline.Block, len(items))
	byID, byText := map[string]outline.Block{}, map[string][]string{}
	for _, b := range were {
		text, _, _ := taskOf(b.String)
		byID[b.UID], byText[text] = b, append(byText[text], b.UID)
	}
	take := func(i int, uid string) {
		blocks[i] = byID[uid]
		delete(byID, uid)
	}
	for i, wanted := range items {
		if _, free := byID[wanted.ID]; free {
			take(i, wanted.ID)
		}
	}
	for i, wanted := range items {
		for blocks[i].UID == "" && len(byText[wanted.Text]) > 0 {
			uid := byText[wanted.Text][0]
			byText[wanted.Text] = byText[wanted.Text][1:]
			if _, free := byID[uid]; free {
				take(i, uid)
			}
		}
	}
	for i, wanted := range items {
		if text, checked, ok := taskOf(blocks[i].String); !ok || text != wanted.Text || checked != wanted.Checked {
			blocks[i].String = strings.TrimSpace(markOpen + wanted.Text)
			if wanted.Checked {
				blocks[i].String = strings.TrimSpace(markDone + wanted.Text)
			}
		}
	}
	return blocks
}

// mergeLabels changes the line of labels.
func (e *edit) mergeLabels(ctx context.Context) error {
	labels := e.draft.labels
	if labels == nil {
		labels = e.tags
	}
	if labels == nil {
		return nil
	}
	var declared []string
	for _, p := range e.parts {
		if p.property == propLabels {
			declared = note.Read(p.node.Text, true).Declared
		}
	}
	before, err := e.call.Shown().ReadList(e.now, shown.Tags, declared, e.reading("labels"))
	if err != nil {
		return err
	}
	merged := shown.MergeList(before, *labels, declared, note.Key)
	if slices.Equal(merged, declared) {
		return nil
	}
	e.properties[propLabels], err = labelsLine(ctx, e.call, merged)
	return err
}

// mergeImages uploads what is to be uploaded, and tells the images that the note is to have.
func (e *edit) mergeImages(ctx context.Context) error {
	if e.draft.images == nil {
		return nil
	}
	var alone []string
	for _, p := range e.parts {
		if isImage(p.node) {
			alone = append(alone, p.node.UID)
		}
	}
	before, err := e.call.Shown().ReadList(e.now, shown.Images, alone, e.reading("images"))
	if err != nil {
		return err
	}
	there := e.found.images()
	for i, each := range *e.draft.images {
		if slices.Contains(there, each.base64) { // a data: address
			(*e.draft.images)[i] = picture{address: each.base64}
		}
	}
	sent, err := upload(ctx, e.call, e.draft.images)
	if err != nil {
		return err
	}
	merged := shown.MergeList(before, *sent, there, func(address string) string { return address })
	e.images = &merged
	return nil
}
