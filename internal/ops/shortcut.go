package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"roam-mcp/internal/localapi"
)

// NewShortcut puts a page into the left sidebar, or moves it there.
type NewShortcut struct {
	PageUID string
	Index   *int // from 0; nil: the last place
}

// Request implements Write.
func (s NewShortcut) Request() (action string, args []any) {
	args = []any{s.PageUID}
	if s.Index != nil {
		args = append(args, *s.Index)
	}
	return "data.page.addShortcut", args
}

// Footprint implements Write. The page itself stays as it is.
func (s NewShortcut) Footprint() Footprint { return Footprint{Restructures: true} }

// Capture implements Write.
func (s NewShortcut) Capture() Capture {
	return captureShortcut(s.PageUID, func(before []string) []string {
		list := shortcutsWithout(before, s.PageUID)
		at := len(list)
		if s.Index != nil {
			at = max(0, min(*s.Index, at))
		}
		return slices.Insert(list, at, s.PageUID)
	})
}

// Done implements Write.
func (s NewShortcut) Done(json.RawMessage) Done {
	return Done{What: doneShortcuts, UIDs: []string{s.PageUID}}
}

func parseNewShortcut(s sentWrite) (Write, error) {
	var shortcut NewShortcut
	err := json.Unmarshal(s.args[0], &shortcut.PageUID)
	if err == nil && len(s.args) > 1 {
		err = json.Unmarshal(s.args[1], &shortcut.Index)
	}
	return shortcut, err
}

func shortcutsWithout(list []string, uid string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(each string) bool { return each == uid })
}

// AddShortcut puts a page into the left sidebar. It returns Roam's reply, nil
// where there is none.
func (g Edits) AddShortcut(ctx context.Context, shortcut NewShortcut) (json.RawMessage, error) {
	return g.write(ctx, shortcut)
}

// Shortcut is a page in the left sidebar.
type Shortcut struct {
	UID   string `json:"uid"`
	Title string `json:"title"`
}

// Shortcuts returns the pages in the left sidebar, in their order, for the reply to
// a change of them; nil where Roam does not answer.
func (g Desktop) Shortcuts(ctx context.Context) []Shortcut {
	var rows [][3]any
	if g.glance(ctx, &rows, `[:find ?n ?u ?t :where [?p :page/sidebar ?n] [?p :block/uid ?u] [?p :node/title ?t]]`) != nil {
		return nil
	}
	slices.SortFunc(rows, func(a, b [3]any) int {
		first, _ := a[0].(float64)
		second, _ := b[0].(float64)
		return cmp.Compare(first, second)
	})
	list := make([]Shortcut, len(rows))
	for i, row := range rows {
		list[i].UID, _ = row[1].(string)
		list[i].Title, _ = row[2].(string)
	}
	return list
}

func (s NewShortcut) find(ctx context.Context, look verifier, _ int64) (Applied, string) {
	list, err := look.shortcuts(ctx)
	if err != nil {
		return Unknown, cantLook(err)
	}
	wanted := len(list) - 1
	if s.Index != nil {
		wanted = min(*s.Index, wanted)
	}
	switch slices.Index(list, s.PageUID) {
	case -1:
		return No, "The page is not among the shortcuts."
	case wanted:
		return Yes, "The page is among the shortcuts, at the place asked for."
	}
	return Unknown, "The page is among the shortcuts, but at another place."
}

// ShortcutRemoval takes a page out of the left sidebar.
type ShortcutRemoval struct{ PageUID string }

// Request implements Write.
func (s ShortcutRemoval) Request() (action string, args []any) {
	return "data.page.removeShortcut", []any{s.PageUID}
}

// Footprint implements Write. The page itself stays as it is.
func (s ShortcutRemoval) Footprint() Footprint { return Footprint{Restructures: true} }

// Capture implements Write.
func (s ShortcutRemoval) Capture() Capture {
	return captureShortcut(s.PageUID, func(before []string) []string { return shortcutsWithout(before, s.PageUID) })
}

// Done implements Write.
func (s ShortcutRemoval) Done(json.RawMessage) Done {
	return Done{What: doneShortcuts, UIDs: []string{s.PageUID}}
}

func parseShortcutRemoval(s sentWrite) (Write, error) {
	var removal ShortcutRemoval
	err := json.Unmarshal(s.args[0], &removal.PageUID)
	return removal, err
}

// RemoveShortcut takes a page out of the left sidebar. It returns Roam's reply,
// nil where there is none.
func (g Edits) RemoveShortcut(ctx context.Context, pageUID string) (json.RawMessage, error) {
	return g.write(ctx, ShortcutRemoval{pageUID})
}

func (s ShortcutRemoval) find(ctx context.Context, look verifier, _ int64) (Applied, string) {
	list, err := look.shortcuts(ctx)
	switch {
	case err != nil:
		return Unknown, cantLook(err)
	case slices.Contains(list, s.PageUID):
		return No, "The page is still among the shortcuts."
	}
	pages, err := look.rows(ctx, `[:find ?n :in $ ?uid :where [?e :block/uid ?uid] [?e :node/title ?n]]`, s.PageUID)
	switch {
	case err != nil:
		return Unknown, cantLook(err)
	case len(pages) == 0:
		return No, "There is no such page among the shortcuts or elsewhere."
	}
	return Yes, "The page is not among the shortcuts."
}

// shortcuts returns the uids of the pages in the left sidebar, in their order.
func (l verifier) shortcuts(ctx context.Context) ([]string, error) {
	rows, err := l.rows(ctx, `[:find ?n ?u :where [?p :page/sidebar ?n] [?p :block/uid ?u]]`)
	if err != nil {
		return nil, err
	}
	places, uids := map[string]float64{}, []string{}
	for _, row := range rows {
		place, uid, ok := placeIn(row)
		if !ok {
			return nil, localapi.UnsupportedReply(plainQuery, listOfRows, nil)
		}
		places[uid] = place
		uids = append(uids, uid)
	}
	slices.SortFunc(uids, func(a, b string) int { return cmp.Compare(places[a], places[b]) })
	return uids, nil
}

// placeIn reads a place and a uid out of a row.
func placeIn(row []any) (place float64, uid string, ok bool) {
	if len(row) != 2 {
		return 0, "", false
	}
	place, isNumber := row[0].(float64)
	uid, isText := row[1].(string)
	return place, uid, isNumber && isText
}
