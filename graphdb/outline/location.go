package outline

import "roam-mcp/graphdb"

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
	for _, k := range Children(w.tx, parent) {
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
