package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/textsafe"
)

// The number of notes that one query reads: whole ones, and ones without texts or without
// what is below them.
const (
	maxNotes = 50
	maxTimes = 500
)

// Ask runs an action that only reads, and returns its result.
func (g Reads) Ask(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	return g.ask(ctx, action, args...)
}

// ReadNote reads a page or block with all that is below it; ok reports whether there
// is one.
func (g Reads) ReadNote(ctx context.Context, uid string) (n note.Node, ok bool, err error) {
	notes, err := g.ReadNotes(ctx, []string{uid})
	n, ok = notes[uid]
	return n, ok, err
}

// ReadNotes reads pages and blocks with all that is below them, up to 50 in one query.
// It returns those that exist, by uid.
func (g Reads) ReadNotes(ctx context.Context, uids []string) (map[string]note.Node, error) {
	return g.readNotes(ctx, notePattern, maxNotes, uids)
}

// ReadTexts reads pages and blocks without their children, up to 500 in one query. It
// returns those that exist, by uid.
func (g Reads) ReadTexts(ctx context.Context, uids []string) (map[string]note.Node, error) {
	return g.readNotes(ctx, textPattern, maxTimes, uids)
}

// ReadTimes reads when pages, and the blocks below them, were made and edited, up to 500
// pages in one query. It returns those that exist, by uid, without texts but for those
// that hide blocks.
func (g Reads) ReadTimes(ctx context.Context, pages []string) (map[string]note.Node, error) {
	return g.readNotes(ctx, timesPattern, maxTimes, pages)
}

// TruePreviews returns those of some previews, each whole, that have the words of the block
// that they name: as Roam shows it (LOCAL_API.md 9.6), or as it is stored. What can't be read
// is not among them, and what the notes of the call refer to is not read again.
func (g Reads) TruePreviews(ctx context.Context, all []textsafe.Preview) map[string]bool {
	blocks := g.read.referredTo()
	var others []string
	for _, p := range all {
		if _, known := blocks[p.UID]; !known {
			others = append(others, p.UID)
		}
	}
	if len(others) > 0 {
		read, _ := g.ReadTexts(ctx, others) // none where it fails
		maps.Copy(blocks, read)
	}
	found := map[string]bool{}
	for _, p := range all {
		if n, there := blocks[p.UID]; there && !n.Hidden {
			words, text := lettersOf(p.Text), n.Title+n.Text // of which one is empty
			found[p.String()] = words == lettersOf(text) || words == lettersOf(withReferredTexts(text, n.Refs))
		}
	}
	return found
}

// withReferredTexts returns a text with the texts of the blocks that it refers to, one level
// deep.
func withReferredTexts(text string, refs []note.Ref) string {
	return outline.ReplaceBlockRefs(text, func(uid string) (string, bool) {
		for _, ref := range refs {
			if ref.UID == uid && !ref.Hidden {
				return outline.ReplaceBlockRefs(ref.Title+ref.Text, func(string) (string, bool) { return "", true }), true
			}
		}
		return "", true
	})
}

// LastEdits returns by its uid when each of some pages, or a visible block on it, was
// edited last, in ms since 1970. What is not there is left out.
func (g Reads) LastEdits(ctx context.Context, pages []string) (map[string]int64, error) {
	notes, err := g.ReadTimes(ctx, pages)
	if err != nil {
		return nil, err
	}
	times := map[string]int64{}
	for uid, n := range notes {
		times[uid] = n.UpdatedAt()
	}
	return times, nil
}

// readNotes reads pages and blocks by a pattern, so many in one query.
func (g Reads) readNotes(ctx context.Context, pattern string, most int, uids []string) (map[string]note.Node, error) {
	g.read.note(g.operations.options.Now())
	notes := map[string]note.Node{}
	wanted := slices.Compact(slices.Sorted(slices.Values(uids)))
	for some := range slices.Chunk(wanted, most) {
		pulled, err := g.pullNotes(ctx, pattern, some)
		if err != nil {
			return nil, err
		}
		for i := range pulled {
			n, err := pulled[i].note()
			if err != nil {
				return nil, invalidNote(err)
			}
			notes[n.UID] = n
			g.read.keep(n)
		}
	}
	return notes, nil
}

// ReadNoteTitled reads the page with a title with all that is below it; ok reports
// whether there is one.
func (g Reads) ReadNoteTitled(ctx context.Context, title string) (n note.Node, ok bool, err error) {
	g.read.note(g.operations.options.Now())
	pulled, err := rowsOf[pulledNote](g.ask(ctx, plainQuery, `[:find (pull ?e `+notePattern+`) :in $ ?t :where [?e :node/title ?t]]`, title))
	if err == nil {
		err = g.whole(ctx, pulled)
	}
	if err != nil || len(pulled) == 0 {
		return note.Node{}, false, err
	}
	if n, err = pulled[0].note(); err != nil {
		return note.Node{}, false, invalidNote(err)
	}
	g.read.keep(n)
	return n, true, nil
}

// blockPattern is what is pulled of each block. Every attribute has a name of its
// own, since Roam cuts :create/time and :edit/time to the same key
// (LOCAL_API.md 2.2).
const blockPattern = `[:block/uid :as "uid"] [:node/title :as "title"] [:block/string :as "string"] [:block/heading :as "heading"] ` +
	`[:children/view-type :as "view"] [:block/text-align :as "align"] [:block/open :as "open"] [:block/order :as "order"] ` +
	`[:create/time :as "created"] [:edit/time :as "edited"] ` +
	`{[:create/user :as "creator"] ` + userPattern + `} {[:edit/user :as "editor"] ` + userPattern + `} ` +
	`{[:block/refs :as "refs" :limit nil] [[:block/uid :as "uid"] [:node/title :as "title"] [:block/string :as "string"] ` +
	pagePattern + ` ` + marksPattern + ` ` + abovePattern + ` {[:block/children :as "children" :limit 2] [[:block/uid :as "uid"] ` + marksPattern + `]}]}`

const (
	userPattern  = `[[:user/uid :as "uid"] [:user/display-name :as "name"]]`
	pagePattern  = `{[:block/page :as "page"] [[:block/uid :as "uid"] [:node/title :as "title"]]}`
	marksPattern = `{[:block/refs :as "marks" :limit nil] [[:node/title :as "title"]]}`
	abovePattern = `{[:block/parents :as "above" :limit nil] [[:node/title :as "title"] ` + marksPattern + `]}`
)

// notePattern is what is pulled of a note.
const notePattern = `[` + blockPattern + ` [:page/edit-time :as "pageEdited"] [:page/sidebar :as "shortcut"] ` + pagePattern + ` ` + abovePattern +
	` {[:block/children :as "children" :limit nil] [` + blockPattern + ` {[:block/children :as "children" :limit nil] ...}]}]`

// textPattern is what is pulled of a page or block alone.
const textPattern = `[` + blockPattern + ` ` + pagePattern + ` ` + abovePattern + `]`

// timesPattern is what is pulled of a note and of all below it, to know when it was made
// and edited.
const timesPattern = `[[:block/uid :as "uid"] [:node/title :as "title"] [:create/time :as "created"] [:edit/time :as "edited"] [:page/edit-time :as "pageEdited"] ` +
	`{[:block/refs :as "refs" :limit nil] [[:block/uid :as "uid"] [:node/title :as "title"]]} {[:block/children :as "children" :limit nil] ...}]`

// pullNotes pulls those of the notes that exist.
func (g Reads) pullNotes(ctx context.Context, pattern string, uids []string) ([]pulledNote, error) {
	notes, err := pullAll[pulledNote](ctx, g.ask, pattern, uids)
	if err == nil {
		err = g.whole(ctx, notes)
	}
	return notes, err
}

// whole returns an error if a list in notes was cut.
func (g Reads) whole(ctx context.Context, notes []pulledNote) error {
	for i := range notes {
		n := &notes[i]
		err := g.checkWhole(ctx, len(n.Children), n.UID, localapi.Children)
		if err == nil {
			err = g.checkWhole(ctx, len(n.Refs), n.UID, localapi.Refs)
		}
		if err == nil {
			err = g.whole(ctx, n.Children)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (g Reads) checkWhole(ctx context.Context, pulled int, uid string, values localapi.Values) error {
	return localapi.CheckWhole(pulled, uid, values, func(query, uid string) (json.RawMessage, error) {
		return g.ask(ctx, plainQuery, query, uid)
	})
}

// pullAll pulls those of some pages and blocks that exist.
func pullAll[T any](ctx context.Context, ask fact.Ask, pattern string, uids []string) ([]T, error) {
	query := `[:find (pull ?e ` + pattern + `) :in $ %s :where [?e :block/uid ?u]]`
	if len(uids) == 1 {
		return rowsOf[T](ask(ctx, plainQuery, fmt.Sprintf(query, "?u"), uids[0]))
	}
	return rowsOf[T](ask(ctx, plainQuery, fmt.Sprintf(query, "[?u ...]"), uids))
}

// rowsOf reads the answer to a query that pulls.
func rowsOf[T any](result json.RawMessage, err error) ([]T, error) {
	var rows [][]T
	err = localapi.UnsupportedQuery(err)
	if err == nil {
		err = decodePulled(result, &rows)
	}
	return slices.Concat(rows...), err
}

// invalidNote returns the error that an answer which can't be read stands for.
func invalidNote(err error) error {
	if err == nil {
		return nil
	}
	return localapi.UnsupportedReply(plainQuery, "a list of pages and blocks", err)
}

// keyword returns a keyword of Roam without its colon.
func keyword(text string) string { return strings.TrimPrefix(text, ":") }

// texts asks for the texts of blocks as they are stored, by uid, and for the pages that
// they are on.
func (g Reads) texts(ctx context.Context, uids []string) (texts map[string]string, pages []string, err error) {
	rows, err := g.rows(ctx, `[:find ?u ?s ?p :in $ [?u ...] :where [?e :block/uid ?u] [?e :block/string ?s] [?e :block/page ?on] [?on :block/uid ?p]]`, uids)
	if err != nil {
		return nil, nil, err
	}
	texts = map[string]string{}
	for _, row := range rows {
		if len(row) != 3 {
			continue
		}
		uid, _ := row[0].(string)
		texts[uid], _ = row[1].(string)
		page, _ := row[2].(string)
		pages = append(pages, page)
	}
	return texts, pages, nil
}
