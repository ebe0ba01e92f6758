package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
)

// Changing asks for the blocks that were created and changed within a time, as Roam's own
// times tell.
type Changing struct {
	Since, Until time.Time // Until is outside of it; zero: up to now
	Page         string    // uid of the page; empty: any
	By           string    // name or uid of the user; empty: anybody
}

// ChangedPage is a page on which something was created or changed.
type ChangedPage struct {
	UID              string
	New              bool // it was created itself
	Created, Changed int  // numbers of blocks
	LastAt           int64
	By               []string        // names of users, who wrote last first
	Blocks           []*ChangedBlock // the newest first

	writers map[string]int64 // when each wrote last
}

// ChangedBlock is a block that was created or changed.
type ChangedBlock struct {
	UID, By string
	At      int64 // ms since 1970
	New     bool
}

// unknownUser is how a user is called who has no name.
const unknownUser = "unknown"

// change is a row of a query for changes: that a page or block was created, or edited last.
type change struct {
	uid, page string
	at, user  float64 // Roam's clock may give times with a fraction
}

// UnmarshalJSON reads a row.
func (c *change) UnmarshalJSON(row []byte) error {
	return json.Unmarshal(row, &[]any{&c.uid, &c.page, &c.at, &c.user})
}

// changesAs returns a query for what has a time of a kind, edit or create, from one on.
func changesAs(kind, in, where string) string {
	return `[:find ?u ?pu ?t ?w :in $ ?since` + in + ` :where` + where + ` [?b :` + kind + `/time ?t] [(>= ?t ?since)] ` +
		`(or-join [?b ?p] [?b :block/page ?p] (and [?b :node/title ?title] [(identity ?b) ?p])) [?b :block/uid ?u] [?p :block/uid ?pu] [(get-else $ ?b :` + kind + `/user 0) ?w]]`
}

// hiddenQuery lists the blocks that are hidden: those with a tag that hides, and all below.
const hiddenQuery = `[:find [?u ...] :in $ [?title ...] :where [?mark :node/title ?title] [?m :block/refs ?mark] [?m :block/string ?s] ` +
	`(or-join [?m ?b] [(identity ?m) ?b] [?b :block/parents ?m]) [?b :block/uid ?u]]`

// Changes returns the pages on which something was created or changed, the last first. Where
// nobody is called as the one who is asked for, users are the names of all.
func (g Finds) Changes(ctx context.Context, asked Changing) (pages []ChangedPage, users []string, err error) {
	c := changed{asked: asked, now: g.operations.options.Now(), hidden: map[string]bool{}, pages: map[string]*ChangedPage{}, blocks: map[string]*ChangedBlock{}}
	if c.users, err = g.users(ctx); err != nil {
		return nil, nil, err
	}
	if users := c.unlike(asked.By); users != nil {
		return nil, users, nil
	}
	created, err := g.changesOf(ctx, "create", asked)
	if err != nil {
		return nil, nil, err
	}
	edited, err := g.changesOf(ctx, "edit", asked)
	if err != nil || len(created)+len(edited) == 0 {
		return nil, nil, err
	}
	hidden, err := listed[string](g.ask(ctx, plainQuery, hiddenQuery, hidingTags))
	if err != nil {
		return nil, nil, err
	}
	for _, uid := range hidden {
		c.hidden[uid] = true
	}
	for _, row := range created {
		c.add(row, true)
	}
	for _, row := range edited {
		c.add(row, false)
	}
	return c.sorted(), nil, nil
}

// changesOf runs the query for a kind of times.
func (g Finds) changesOf(ctx context.Context, kind string, asked Changing) (rows []change, err error) {
	query, inputs := changesAs(kind, "", ""), []any{asked.Since.UnixMilli()}
	if asked.Page != "" {
		query, inputs = changesAs(kind, " ?pu", " [?p :block/uid ?pu]"), append(inputs, asked.Page)
	}
	answer, err := g.ask(ctx, plainQuery, append([]any{query}, inputs...)...)
	if err == nil {
		err = invalidNote(json.Unmarshal(answer, &rows))
	}
	return rows, err
}

// users returns who has written in the graph, by their entity ids.
func (g Finds) users(ctx context.Context) (map[int64]note.User, error) {
	const query = `[:find [(pull ?e [[:db/id :as "id"] [:user/uid :as "uid"] [:user/display-name :as "name"]]) ...] :where [?e :user/uid ?uid]]`
	answer, err := g.ask(ctx, plainQuery, query)
	var found []struct {
		ID   int64  `json:"id"`
		UID  string `json:"uid"`
		Name string `json:"name"`
	}
	if err == nil {
		err = decodePulled(answer, &found)
	}
	users := map[int64]note.User{}
	for _, user := range found {
		users[user.ID] = note.User{UID: user.UID, Name: user.Name}
	}
	return users, err
}

// changed collects changes by page.
type changed struct {
	asked  Changing
	now    time.Time
	users  map[int64]note.User
	hidden map[string]bool
	pages  map[string]*ChangedPage
	blocks map[string]*ChangedBlock // by uid
}

// nameOf returns how a user is called.
func nameOf(user note.User) string { return cmp.Or(strings.TrimSpace(user.Name), unknownUser) }

// wants reports whether what a user has done is asked for.
func (c *changed) wants(user note.User) bool {
	by := strings.TrimSpace(c.asked.By)
	return by == "" || user.UID == by || note.SameTitle(nameOf(user), by)
}

// unlike returns the names of all users where none is called so; nil where one is.
func (c *changed) unlike(by string) []string {
	if c.wants(note.User{}) {
		return nil
	}
	names := []string{}
	for _, user := range c.users {
		if c.wants(user) {
			return nil
		}
		names = append(names, nameOf(user))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// add adds a change, if it is one that is asked for. What a clock says that is ahead was
// now. Those that create come before those that change.
func (c *changed) add(row change, creates bool) {
	at, user, isPage := min(int64(row.at), c.now.UnixMilli()), c.users[int64(row.user)], row.uid == row.page
	switch {
	case c.hidden[row.uid], !c.wants(user), at < c.asked.Since.UnixMilli(), !c.asked.Until.IsZero() && at >= c.asked.Until.UnixMilli():
		return
	case isPage && !creates: // Roam gives pages times for what is done to their blocks, too
		return
	}
	page := c.pages[row.page]
	if page == nil {
		page = &ChangedPage{UID: row.page, writers: map[string]int64{}}
		c.pages[row.page] = page
	}
	by := nameOf(user)
	page.LastAt, page.New, page.writers[by] = max(page.LastAt, at), page.New || isPage, max(page.writers[by], at)
	if isPage {
		return
	}
	block := c.blocks[row.uid]
	switch {
	case block == nil:
		block = &ChangedBlock{UID: row.uid, New: creates}
		c.blocks[row.uid], page.Blocks = block, append(page.Blocks, block)
		if creates {
			page.Created++
		} else {
			page.Changed++
		}
		fallthrough
	case at > block.At:
		block.At, block.By = at, by
	}
}

// sorted returns the pages, the last first.
func (c *changed) sorted() []ChangedPage {
	pages := []ChangedPage{}
	for _, page := range c.pages {
		slices.SortFunc(page.Blocks, func(a, b *ChangedBlock) int { return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.UID, b.UID)) })
		page.By = slices.SortedFunc(maps.Keys(page.writers), func(a, b string) int {
			return cmp.Or(cmp.Compare(page.writers[b], page.writers[a]), cmp.Compare(a, b))
		})
		pages = append(pages, *page)
	}
	slices.SortFunc(pages, func(a, b ChangedPage) int { return cmp.Or(cmp.Compare(b.LastAt, a.LastAt), cmp.Compare(a.UID, b.UID)) })
	return pages
}
