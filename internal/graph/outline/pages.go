package outline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/graphdb"
)

// NewPage describes a page to create.
type NewPage struct {
	Title            string // annotations of a read are decoded, as in all that is written
	UID              string // "": one is made; a daily note has the uid of its day
	ChildrenViewType string // bullet, numbered, document; "": not set
}

// EnsurePage gives the page with a title, made if it is not there; pages that
// the title itself mentions come with it.
func (w *Writer) EnsurePage(title string) (graphdb.EID, error) {
	if e := PageByTitle(w.tx, title); e != 0 {
		return e, nil
	}
	return w.createPage(NewPage{Title: title})
}

// CreatePage makes a page. A title or uid that is taken is CodeAlreadyExists.
func (w *Writer) CreatePage(p NewPage) (uid string, err error) {
	p.Title = DecodeAnnotations(p.Title)
	if PageByTitle(w.tx, p.Title) != 0 {
		return "", exists("Page with title %s already exists.", quoted(p.Title))
	}
	e, err := w.createPage(p)
	if err != nil {
		return "", err
	}
	return w.tx.String(e, graphdb.BlockUID), nil
}

func (w *Writer) createPage(p NewPage) (graphdb.EID, error) {
	if p.Title == "" {
		return 0, invalid("A page needs a title.")
	}
	day, daily := ParseDailyTitle(p.Title)
	if daily {
		if p.UID != "" && p.UID != DailyUID(day) {
			return 0, invalid("The page %s is a daily note, so its uid is %s.", quoted(p.Title), DailyUID(day))
		}
		if p.UID != "" || ByUID(w.tx, DailyUID(day)) == 0 {
			p.UID = DailyUID(day) // a mention of the day must not fail because an import gave its uid away
		}
	}
	uid, err := w.claimUID(p.UID)
	if err != nil {
		return 0, err
	}
	e := w.tx.NewEntity()
	values := map[graphdb.Attr]graphdb.Value{
		graphdb.NodeTitle: graphdb.StringValue(p.Title), graphdb.BlockUID: graphdb.StringValue(uid),
	}
	if daily {
		values[graphdb.LogID] = logID(day)
	}
	if err := w.tx.SetAll(e, values); err != nil {
		return 0, err
	}
	if err := w.setView(e, graphdb.ChildrenViewType, "children-view-type", &p.ChildrenViewType, childViews); err != nil {
		return 0, err
	}
	if err := w.relink(e, p.Title); err != nil {
		return 0, err
	}
	return e, w.stampCreated(e)
}

func logID(day time.Time) graphdb.Value { return graphdb.IntValue(day.UnixMilli()) }

// PageUpdate holds what changes; nil leaves a field as it is.
type PageUpdate struct {
	Title            *string
	ChildrenViewType *string // bullet, numbered, document; "" takes it away
}

// UpdatePage renames a page, rewriting every mention of it, and sets its view.
// Where another page has the title already the update fails, unless merge is
// true: then the children go to the end of that page, and it alone remains
// (LOCAL_API.md 9.3). Daily notes keep their titles.
func (w *Writer) UpdatePage(uid string, update PageUpdate, merge bool) error {
	e, err := w.page(uid)
	if err != nil {
		return err
	}
	if err := w.setView(e, graphdb.ChildrenViewType, "children-view-type", update.ChildrenViewType, childViews); err != nil {
		return err
	}
	if update.Title == nil {
		return w.stampEdited(e)
	}
	if err := w.stampEdited(e); err != nil {
		return err
	}
	from, to := w.tx.String(e, graphdb.NodeTitle), DecodeAnnotations(*update.Title)
	if from == to {
		return nil
	}
	if err := w.checkRename(from, to, merge); err != nil {
		return err
	}
	return w.retitle(e, to, merge)
}

func (w *Writer) checkRename(from, to string, merge bool) error {
	other := PageByTitle(w.tx, to)
	_, fromDaily := ParseDailyTitle(from)
	_, toDaily := ParseDailyTitle(to)
	switch {
	case strings.TrimSpace(to) == "":
		return invalid("A page needs a title.")
	case fromDaily:
		return invalid("%s is a daily note: it can't be renamed.", quoted(from))
	case other != 0 && !merge:
		return exists("Page with title %s already exists. Merge the pages, or choose another title.", quoted(to))
	case toDaily && other == 0:
		return invalid("%s is the title of a daily note: another page can't be renamed to it.", quoted(to))
	}
	return nil
}

// retitle gives a page a new title, or merges it into the page that has it, and
// rewrites every mention.
func (w *Writer) retitle(e graphdb.EID, to string, merge bool) error {
	from := w.tx.String(e, graphdb.NodeTitle)
	mentions := w.tx.Reverse(graphdb.BlockRefs, e)
	other := PageByTitle(w.tx, to)
	if other == 0 {
		if err := w.tx.Set(e, graphdb.NodeTitle, graphdb.StringValue(to)); err != nil {
			return err
		}
		if err := w.relink(e, to); err != nil {
			return err
		}
	} else if !merge {
		return exists("Page with title %s already exists.", quoted(to))
	}
	if err := w.rewrite(mentions, func(s string) string { return RenamePage(s, from, to) }); err != nil {
		return err
	}
	switch {
	case !IsPage(w.tx, e) || other != 0 && !IsPage(w.tx, other): // titles in a circle merge on the way
		return nil
	case other == 0:
		return w.stampEdited(e)
	}
	return w.merge(e, other)
}

// merge moves the children of a page to the end of another and removes it.
func (w *Writer) merge(from, into graphdb.EID) error {
	kids := w.siblings(from).list
	delete(w.families, from)
	if err := w.tx.RetractAttr(from, graphdb.BlockChildren); err != nil {
		return err
	}
	if err := w.insert(into, Last, kids); err != nil {
		return err
	}
	for _, k := range kids {
		w.noteAttribute(k)
		if err := w.replace(k); err != nil {
			return err
		}
	}
	if err := w.stampEdited(into); err != nil {
		return err
	}
	return w.remove([]graphdb.EID{from})
}

// page finds a page to write to.
func (w *Writer) page(uid string) (graphdb.EID, error) {
	e := ByUID(w.tx, uid)
	switch {
	case e == 0 || !IsPage(w.tx, e) && !IsBlock(w.tx, e):
		return 0, notFound("Page with uid %s doesn't exist.", quoted(uid))
	case !IsPage(w.tx, e):
		return 0, invalid("%s is a block, not a page.", quoted(uid))
	}
	return e, nil
}

// Shortcuts are the pages in the left sidebar, in their order.
func Shortcuts(r graphdb.Reader) []graphdb.EID {
	type shortcut struct {
		page  graphdb.EID
		place int64
	}
	var list []shortcut
	for page, place := range r.Entities(graphdb.PageSidebar) {
		list = append(list, shortcut{page, place.Int()})
	}
	slices.SortFunc(list, func(a, b shortcut) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.page, b.page))
	})
	pages := make([]graphdb.EID, 0, len(list))
	for _, s := range list {
		pages = append(pages, s.page)
	}
	return pages
}

// AddShortcut puts a page among the shortcuts, or moves it there, at a place
// from 0; beyond the end, or Last, is the end (LOCAL_API.md 2.4).
func (w *Writer) AddShortcut(uid string, at Order) error {
	page, err := w.page(uid)
	if err != nil {
		return err
	}
	rest := except(Shortcuts(w.tx), []graphdb.EID{page})
	i := len(rest)
	if at >= 0 && int(at) < i {
		i = int(at)
	}
	return w.placeShortcuts(slices.Insert(rest, i, page))
}

// RemoveShortcut takes a page from the shortcuts; the page stays. That it is
// none is no error.
func (w *Writer) RemoveShortcut(uid string) error {
	page, err := w.page(uid)
	if err != nil {
		return err
	}
	if !w.tx.Has(page, graphdb.PageSidebar) {
		return nil
	}
	if err := w.tx.RetractAttr(page, graphdb.PageSidebar); err != nil {
		return err
	}
	return w.placeShortcuts(Shortcuts(w.tx))
}

func (w *Writer) placeShortcuts(pages []graphdb.EID) error {
	for i, page := range pages {
		if err := w.tx.Set(page, graphdb.PageSidebar, graphdb.IntValue(int64(i))); err != nil {
			return err
		}
	}
	return nil
}

// userPhoto is the address of a user's picture.
const userPhoto graphdb.Attr = ":user/photo-url"

// UpsertUser makes the user with this uid if it is not there, and gives it the
// display name and picture; one that is empty stays as it is (LOCAL_API.md 2.4).
func (w *Writer) UpsertUser(uid, displayName, photoURL string) error {
	if uid == "" {
		return invalid("A user needs a uid.")
	}
	user, err := w.EnsureUser(uid, displayName)
	if err != nil {
		return err
	}
	if displayName != "" {
		if err := w.tx.Set(user, graphdb.UserDisplayName, graphdb.StringValue(displayName)); err != nil {
			return err
		}
	}
	if photoURL == "" {
		return nil
	}
	return w.tx.Set(user, userPhoto, graphdb.StringValue(photoURL))
}
