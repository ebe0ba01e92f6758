package outline

import (
	"io"
	"slices"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/roamtext"
)

// Author is a user and a time, set as creator of new entities and as editor of changed
// ones.
type Author struct {
	User graphdb.EID // a user entity; 0: nobody is named
	Now  time.Time
}

// Writer changes an outline inside one transaction, which no other may change
// meanwhile. An error leaves the transaction half done: the function given to
// Transact must return it. Orders of siblings are right when the transaction ends.
type Writer struct {
	tx       *graphdb.Tx
	author   Author
	random   io.Reader // for uids
	families map[graphdb.EID]*siblings
	sayings  map[graphdb.EID]*saying
	words    wordCounts

	flattened  int
	quietMoves bool
}

// NewWriter writes through the transaction as the author; random is the source
// of uids.
func NewWriter(tx *graphdb.Tx, author Author, random io.Reader) *Writer {
	return &Writer{tx: tx, author: author, random: random, words: wordCounts{tx: tx}}
}

// LeaveTimesOfMoves makes moves and reorderings leave the times and editors of the
// blocks that they move, and of the pages on which they do.
func (w *Writer) LeaveTimesOfMoves() { w.quietMoves = true }

// EnsureUser gives the user with this uid, made with the display name if it is
// not there.
func (w *Writer) EnsureUser(uid, displayName string) (graphdb.EID, error) {
	if e, ok := w.tx.Lookup(graphdb.UserUID, graphdb.StringValue(uid)); ok {
		return e, nil
	}
	e := w.tx.NewEntity()
	values := map[graphdb.Attr]graphdb.Value{graphdb.UserUID: graphdb.StringValue(uid)}
	if displayName != "" {
		values[graphdb.UserDisplayName] = graphdb.StringValue(displayName)
	}
	return e, w.tx.SetAll(e, values)
}

// freshUID makes a uid that nothing has.
func (w *Writer) freshUID() (string, error) {
	for {
		uid, err := NewUID(w.random)
		if err != nil || ByUID(w.tx, uid) == 0 {
			return uid, err
		}
	}
}

func (w *Writer) stampCreated(e graphdb.EID) error {
	if err := w.stamp(e, graphdb.CreateTime, graphdb.CreateUser); err != nil {
		return err
	}
	return w.stampEdited(e)
}

// stampEdited stamps what has changed, and the page it is on.
func (w *Writer) stampEdited(e graphdb.EID) error {
	if err := w.stamp(e, graphdb.EditTime, graphdb.EditUser); err != nil {
		return err
	}
	return w.stampPage(e)
}

// stampPage stamps the page that something is on, and a page itself.
func (w *Writer) stampPage(e graphdb.EID) error {
	if !IsPage(w.tx, e) {
		if e = w.tx.Ref(e, graphdb.BlockPage); e == 0 {
			return nil // as for place
		}
	}
	return w.stamp(e, graphdb.PageEditTime, graphdb.PageEditUser)
}

// stampMoved is stampEdited for a block that is moved.
func (w *Writer) stampMoved(e graphdb.EID) error {
	if w.quietMoves {
		return nil
	}
	return w.stampEdited(e)
}

func (w *Writer) stamp(e graphdb.EID, at, by graphdb.Attr) error {
	if err := w.tx.Set(e, at, graphdb.IntValue(w.author.Now.UnixMilli())); err != nil || w.author.User == 0 {
		return err
	}
	return w.tx.Set(e, by, graphdb.RefValue(w.author.User))
}

// setText stores a block's string and brings its references in step.
func (w *Writer) setText(e graphdb.EID, text string) error {
	w.noteAround(e)
	w.words.add(e, -1)
	if err := w.tx.Set(e, graphdb.BlockString, graphdb.StringValue(text)); err != nil {
		return err
	}
	if err := w.relink(e, text); err != nil {
		return err
	}
	w.words.add(e, 1)
	w.noteAround(e)
	return nil
}

// MaxReferences is how many references one text may have.
const MaxReferences = 50_000

// relink makes :block/refs follow the text. Pages that are mentioned come into
// being; blocks that are not there are not referred to.
func (w *Writer) relink(e graphdb.EID, text string) error { return w.linkTo(e, text, true) }

func (w *Writer) linkTo(e graphdb.EID, text string, makePages bool) error {
	var want []graphdb.EID
	references, ok := roamtext.ReferencesUpTo(text, MaxReferences)
	if !ok {
		return invalid("A text refers to more than %d pages and blocks.", MaxReferences)
	}
	for _, r := range references {
		var to graphdb.EID
		var err error
		switch {
		case r.Kind == roamtext.BlockRef:
			to = ByUID(w.tx, r.Content(text))
		case makePages:
			to, err = w.EnsurePage(r.Content(text))
		default:
			to = PageByTitle(w.tx, r.Content(text))
		}
		if err != nil {
			return err
		}
		if to != 0 {
			want = append(want, to)
		}
	}
	if len(references) > 0 && references[0].Kind == roamtext.Attribute {
		w.noteAttribute(e)
	}
	return w.setRefs(e, graphdb.BlockRefs, want)
}

// setRefs makes an attribute hold these references, of which some may be equal.
func (w *Writer) setRefs(e graphdb.EID, a graphdb.Attr, want []graphdb.EID) error {
	slices.Sort(want)
	want = slices.Compact(want)
	have := w.tx.Refs(e, a)
	for _, to := range have {
		if _, wanted := slices.BinarySearch(want, to); !wanted {
			if err := w.tx.Retract(e, a, graphdb.RefValue(to)); err != nil {
				return err
			}
		}
	}
	for _, to := range want {
		if _, there := slices.BinarySearch(have, to); !there {
			if err := w.tx.Set(e, a, graphdb.RefValue(to)); err != nil {
				return err
			}
		}
	}
	return nil
}

// setOrRetract stores a value, or takes the attribute away where it is the
// default that is not stored.
func (w *Writer) setOrRetract(e graphdb.EID, a graphdb.Attr, v graphdb.Value, store bool) error {
	if !store {
		return w.tx.RetractAttr(e, a)
	}
	return w.tx.Set(e, a, v)
}

// place sets a block's page and ancestors from its parent's.
func (w *Writer) place(e, parent graphdb.EID) error {
	page := parent
	want := []graphdb.EID{parent}
	if !IsPage(w.tx, parent) {
		page = w.tx.Ref(parent, graphdb.BlockPage)
		want = append(want, w.tx.Refs(parent, graphdb.BlockParents)...)
	}
	for _, old := range w.tx.Refs(e, graphdb.BlockParents) {
		if !slices.Contains(want, old) {
			if err := w.tx.Retract(e, graphdb.BlockParents, graphdb.RefValue(old)); err != nil {
				return err
			}
		}
	}
	for _, p := range want {
		if err := w.tx.Set(e, graphdb.BlockParents, graphdb.RefValue(p)); err != nil {
			return err
		}
	}
	if page == 0 {
		return nil // under a block that belongs to no page, as dumps hold them
	}
	if page == w.tx.Ref(e, graphdb.BlockPage) {
		return nil
	}
	w.words.add(e, -1)
	if err := w.tx.Set(e, graphdb.BlockPage, graphdb.RefValue(page)); err != nil {
		return err
	}
	w.words.add(e, 1)
	return nil
}

// Order is a place among siblings, from 0; beyond the end is the end.
type Order int

// The named places.
const (
	First Order = 0
	Last  Order = -1
)

// Location says where blocks go: under exactly one of a page or block by uid, a
// page by title and a day's daily note, the last two made if they are not there
// (LOCAL_API.md 2.3).
type Location struct {
	ParentUID string
	PageTitle string
	DailyNote string // MM-DD-YYYY
	Order     Order
	NestUnder string // the string of a direct child of the target to go under, made at the end if it is not there; "": none
}

// resolve gives the entity that the blocks go under.
func (w *Writer) resolve(at Location) (graphdb.EID, error) {
	parent, err := w.target(at)
	if err != nil || at.NestUnder == "" {
		return parent, err
	}
	text := DecodeAnnotations(at.NestUnder) // as every text that is written
	for _, k := range w.siblings(parent).list {
		if s := w.tx.String(k, graphdb.BlockString); s == text || s == at.NestUnder {
			return k, nil
		}
	}
	made, err := w.create(parent, Block{String: text})
	if err != nil {
		return 0, err
	}
	if err := w.relink(made, text); err != nil {
		return 0, err
	}
	return made, w.insert(parent, Last, []graphdb.EID{made})
}

func (w *Writer) target(at Location) (graphdb.EID, error) {
	given := 0
	for _, s := range []string{at.ParentUID, at.PageTitle, at.DailyNote} {
		if s != "" {
			given++
		}
	}
	if given != 1 {
		return 0, invalid("A location needs exactly one of parent-uid, page-title and daily-note-page.")
	}
	switch {
	case at.PageTitle != "":
		return w.EnsurePage(DecodeAnnotations(at.PageTitle))
	case at.DailyNote != "":
		day, ok := ParseDailyUID(at.DailyNote)
		if !ok {
			return 0, invalid("%s is no day: a daily note is named MM-DD-YYYY, as in 03-17-2026.", quoted(at.DailyNote))
		}
		return w.EnsurePage(DailyTitle(day))
	}
	e := ByUID(w.tx, at.ParentUID)
	if e == 0 || !IsPage(w.tx, e) && !IsBlock(w.tx, e) {
		return 0, notFound("Parent entity with uid %s doesn't exist.", quoted(at.ParentUID))
	}
	return e, nil
}

// ReorderBlocks puts the children of a page or block into a new order. The uids
// must be those of all its children, each once (LOCAL_API.md 2.3).
func (w *Writer) ReorderBlocks(parentUID string, uids []string) error {
	parent, err := w.target(Location{ParentUID: parentUID})
	if err != nil {
		return err
	}
	children := w.siblings(parent)
	ordered := make([]graphdb.EID, 0, len(uids))
	listed := make(map[graphdb.EID]bool, len(uids))
	for _, uid := range uids {
		e, err := w.block(uid)
		switch {
		case err != nil:
			return err
		case Parent(w.tx, e) != parent:
			return invalid("Block %s is not a child of %s.", quoted(uid), quoted(parentUID))
		case listed[e]:
			return invalid("Block %s is listed twice.", quoted(uid))
		}
		ordered, listed[e] = append(ordered, e), true
	}
	if len(ordered) != len(children.list) {
		return invalid("All %d children of %s must be listed, not %d of them.", len(children.list), quoted(parentUID), len(ordered))
	}
	for i, e := range ordered {
		if e != children.list[i] {
			if err := w.stampMoved(e); err != nil {
				return err
			}
		}
	}
	children.list, children.stale = ordered, 0
	return w.number(children)
}
