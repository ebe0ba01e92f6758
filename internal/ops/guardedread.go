package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// errTooMuchShown reports that the guidelines show more than can be guarded.
var errTooMuchShown = errors.New("the guidelines show too much")

// shownThing is a page or block that the guidelines show, as shownPattern pulls it.
type shownThing struct {
	UID    string       `json:"uid"`
	Title  string       `json:"title"`
	Text   string       `json:"string"`
	Refs   []shownThing `json:"refs"`   // with uid and title
	Above  []shownThing `json:"above"`  // with uid and title
	Blocks []shownThing `json:"blocks"` // all below it, with their refs
}

const (
	refsPattern  = `{[:block/refs :as "refs" :limit nil] [[:block/uid :as "uid"] [:node/title :as "title"]]}`
	thingPattern = `[:block/uid :as "uid"] [:node/title :as "title"] [:block/string :as "string"] ` + refsPattern
	wayPattern   = `{[:block/parents :as "above" :limit nil] [[:block/uid :as "uid"] [:node/title :as "title"]]}`
)

// below returns the pattern of what an attribute leads to, with its options.
func below(attribute string) string {
	return `{[` + attribute + `] [[:block/uid :as "uid"] [:block/string :as "string"] ` + refsPattern + `]}`
}

// guardedReader reads what is guarded, breadth first.
type guardedReader struct {
	caller Caller
	found  *guarded
	plain  bool // Roam takes no pulls in queries
	blind  bool // Roam answers no queries

	uids, titles []string // of what is still to be read
	alone        []string // uids of what is still to be read without what is below it
	queued       set      // uids, and titles with a mark before them
	ways         set      // uids of blocks whose ways are shown
}

// readGuarded reads what the guidelines show. removed are the uids of pages that are to be
// removed or renamed: pages whose titles link one are looked for in the same request.
func readGuarded(ctx context.Context, caller Caller, removed []string) (*guarded, error) {
	r := newGuardedReader(caller)
	for _, title := range guidelinesTitles() {
		r.found.titles[title] = true
	}
	pages, err := r.first(ctx, removed)
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		switch {
		case page.UID == "":
			return nil, invalidNote(errors.New("a page without a uid"))
		case isGuidelinesTitle(page.Title):
			r.addWhole(page)
		default:
			r.found.mention = append(r.found.mention, page.Title)
		}
	}
	if err := r.follow(ctx); err != nil {
		return nil, err
	}
	return r.found, nil
}

func newGuardedReader(caller Caller) *guardedReader {
	return &guardedReader{caller: caller, found: newGuarded(), queued: set{}, ways: set{}}
}

// follow reads what is shown, and what that shows, down to the leaves.
func (r *guardedReader) follow(ctx context.Context) error {
	for round := 0; len(r.uids)+len(r.titles)+len(r.alone) > 0; round++ {
		if round == mostGuardedRounds || len(r.found.whole)+len(r.found.path)+len(r.uids)+len(r.titles)+len(r.alone) > mostGuarded {
			return errTooMuchShown
		}
		if err := r.round(ctx); err != nil {
			return err
		}
	}
	if len(r.found.whole) > mostGuarded {
		return errTooMuchShown
	}
	return nil
}

// first reads the pages with the guidelines, and those whose titles link a page that is
// removed.
func (r *guardedReader) first(ctx context.Context, removed []string) ([]shownThing, error) {
	pages, err := r.query(ctx, firstQuery(removed))
	switch {
	case err != nil && LacksAction(err):
		r.blind, r.found.partial = true, true
	case localapi.CantRun(err), err == nil && isCut(pages):
		r.plain = true
	case err != nil:
		return nil, err
	default:
		return pages, nil
	}
	pages = nil
	for _, title := range guidelinesTitles() {
		found, err := r.one(ctx, title, "", true)
		if err != nil {
			return nil, err
		}
		pages = append(pages, found...)
	}
	for _, uid := range removed {
		if r.blind {
			break
		}
		rows, err := r.rows(ctx, `[:find ?t ?t :in $ ?of :where [?n :block/uid ?of] [?g :block/refs ?n] [?g :node/title ?t]]`, uid)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			r.found.mention = append(r.found.mention, row[0])
		}
	}
	return pages, nil
}

// firstQuery starts at the page, so that it costs the same in a large graph and for a large
// batch.
func firstQuery(removed []string) string {
	titles := guidelinesTitles()
	named := ""
	for _, uid := range removed {
		if uid = strings.TrimSpace(uid); roamtext.ValidUID(uid) && !strings.ContainsRune(uid, '\\') {
			named += ` (and [?n :block/uid "` + uid + `"] [?g :block/refs ?n] [?g :node/title])`
		}
	}
	or := "or"
	if named != "" {
		or = "or-join [?g]"
	}
	return fmt.Sprintf(`[:find [(pull ?g [`+thingPattern+` `+below(`:block/_page :as "blocks"`)+`]) ...] :where (%s [?g :node/title %q] [?g :node/title %q]%s)]`, or, titles[0], titles[1], named)
}

// round reads what is to be read by now.
func (r *guardedReader) round(ctx context.Context) error {
	uids, titles, alone := r.uids, r.titles, r.alone
	r.uids, r.titles, r.alone = nil, nil, nil
	for _, some := range []struct {
		names []string
		title bool
		deep  bool
	}{{uids, false, true}, {titles, true, true}, {alone, false, false}} {
		if len(some.names) == 0 {
			continue
		}
		things, err := r.named(ctx, some.names, some.title, some.deep)
		if err != nil {
			return err
		}
		r.addAll(some.names, things, some.title, some.deep)
	}
	return nil
}

// addAll adds what was read of some names.
func (r *guardedReader) addAll(names []string, things []shownThing, title, deep bool) {
	there := set{}
	for _, thing := range things {
		there[thing.UID], there[thing.Title] = true, true
		if deep {
			r.addRoot(thing)
		} else {
			r.found.path[thing.UID] = true
			r.addRefs(thing)
		}
	}
	for _, name := range names {
		switch {
		case there[name]:
		case title:
			r.found.titles[folded(name)] = true
		default:
			r.found.missing[name] = true
		}
	}
}

// addRoot adds something that is shown from elsewhere.
func (r *guardedReader) addRoot(thing shownThing) {
	r.addWhole(thing)
	root := &guardedRoot{text: thing.Text}
	for _, above := range thing.Above {
		r.found.above[above.UID] = true
		root.above = append(root.above, above.UID)
		if above.Title != "" {
			root.aboveTitles = append(root.aboveTitles, above.Title)
		}
		if r.ways[thing.UID] && !r.queued["^"+above.UID] {
			r.queued["^"+above.UID] = true
			r.alone = append(r.alone, above.UID)
		}
	}
	r.found.roots[thing.UID] = root
}

// addWhole adds a page or block with all below it.
func (r *guardedReader) addWhole(thing shownThing) {
	r.found.whole[thing.UID] = true
	if thing.Title != "" {
		r.found.titles[folded(thing.Title)] = true
	}
	r.addRefs(thing)
	for _, block := range thing.Blocks {
		r.found.whole[block.UID] = true
		r.addRefs(block)
	}
}

// addRefs notes what the text of a page or block shows.
func (r *guardedReader) addRefs(thing shownThing) {
	text := thing.Text + thing.Title // of which one is empty
	shows := showsOf(text)
	known := set{}
	for _, ref := range thing.Refs {
		known[ref.UID], known[ref.Title] = true, true
		switch {
		case ref.Title == "", slices.Contains(shows.titles, ref.Title):
			r.want(ref.UID, shows.paths)
		default:
			r.found.linked[ref.UID], r.found.links[folded(ref.Title)] = true, true
		}
	}
	for _, uid := range shows.uids { // what Roam has not noted, since it is missing
		if !known[uid] {
			r.want(uid, shows.paths)
		}
	}
	for _, title := range shows.titles {
		if !known[title] && !r.queued["[["+title] {
			r.queued["[["+title] = true
			r.titles = append(r.titles, title)
		}
	}
	if r.blind {
		for _, span := range roamtext.References(text) {
			if span.Kind != roamtext.BlockRef {
				r.found.links[folded(span.Content(text))] = true
			}
		}
	}
}

// want notes a page or block that is to be read, again where the way to it is shown, which
// was not known.
func (r *guardedReader) want(uid string, way bool) {
	if r.queued[uid] && (!way || r.ways[uid]) {
		return
	}
	r.queued[uid] = true
	r.ways[uid] = r.ways[uid] || way
	r.uids = append(r.uids, uid)
}

// named reads pages and blocks by their uids or titles; deep: with all below them.
func (r *guardedReader) named(ctx context.Context, names []string, title, deep bool) ([]shownThing, error) {
	if !r.plain && !r.blind {
		attribute, pattern := ":block/uid", thingPattern+" "+wayPattern
		if title {
			attribute = ":node/title"
		}
		if deep {
			pattern += " " + below(`:block/_parents :as "blocks" :limit nil`)
		}
		things, err := r.query(ctx, `[:find [(pull ?g [`+pattern+`]) ...] :in $ [?of ...] :where [?g `+attribute+` ?of]]`, names)
		if !localapi.CantRun(err) && (err != nil || !isCut(things)) {
			return things, err
		}
	}
	var all []shownThing
	for _, name := range names {
		byTitle, byUID := "", name
		if title {
			byTitle, byUID = name, ""
		}
		things, err := r.one(ctx, byTitle, byUID, deep)
		if err != nil {
			return nil, err
		}
		all = append(all, things...)
	}
	return all, nil
}

// query runs a query that pulls.
func (r *guardedReader) query(ctx context.Context, query string, inputs ...any) (things []shownThing, err error) {
	reply, err := r.caller.Send(ctx, plainQuery, append([]any{query}, inputs...)...)
	if err != nil {
		return nil, err
	}
	return things, decodePulled(reply.Result, &things)
}

// isCut reports whether Roam may have cut a list of what it pulled.
func isCut(things []shownThing) bool {
	return slices.ContainsFunc(things, func(thing shownThing) bool {
		return len(thing.Blocks) == localapi.PullLimit || len(thing.Refs) == localapi.PullLimit || isCut(thing.Blocks)
	})
}

// one reads a page by its title, or a page or block by its uid, from a Roam that does not
// pull in queries.
func (r *guardedReader) one(ctx context.Context, title, uid string, deep bool) ([]shownThing, error) {
	if r.blind {
		return r.seen(ctx, title, uid)
	}
	is, name, under := `[?e :block/uid ?of]`, uid, `[?g :block/uid ?of] [?e :block/parents ?g]`
	if title != "" {
		is, name, under = `[?e :node/title ?of]`, title, `[?g :node/title ?of] [?e :block/page ?g]`
	}
	things, err := r.facts(ctx, is, name)
	if err != nil || len(things) == 0 {
		return nil, err
	}
	thing := things[0]
	if deep {
		if thing.Blocks, err = r.facts(ctx, under, name); err != nil {
			return nil, err
		}
	}
	above, err := r.rows(ctx, `[:find ?u ?u :in $ ?of :where `+is+` [?e :block/parents ?a] [?a :block/uid ?u]]`, name)
	if err != nil {
		return nil, err
	}
	titles, err := r.rows(ctx, `[:find ?u ?t :in $ ?of :where `+is+` [?e :block/parents ?a] [?a :block/uid ?u] [?a :node/title ?t]]`, name)
	if err != nil {
		return nil, err
	}
	thing.Above = withTitles(above, titles)
	return []shownThing{thing}, nil
}

// facts reads the texts and references of what a clause binds ?e to.
func (r *guardedReader) facts(ctx context.Context, is, name string) ([]shownThing, error) {
	var found [5][][2]string
	for i, part := range []string{
		`?u ?u :in $ ?of :where ` + is, `?u ?s :in $ ?of :where ` + is + ` [?e :block/string ?s]`, `?u ?s :in $ ?of :where ` + is + ` [?e :node/title ?s]`,
		`?u ?r :in $ ?of :where ` + is + ` [?e :block/refs ?to] [?to :block/uid ?r]`, `?r ?t :in $ ?of :where ` + is + ` [?e :block/refs ?to] [?to :node/title ?t] [?to :block/uid ?r]`,
	} {
		rows, err := r.rows(ctx, `[:find `+part+` [?e :block/uid ?u]]`, name)
		if err != nil || i == 0 && len(rows) == 0 {
			return nil, err
		}
		found[i] = rows
	}
	things := make([]shownThing, len(found[0]))
	at := map[string]*shownThing{}
	for i, row := range found[0] {
		things[i].UID = row[0]
		at[row[0]] = &things[i]
	}
	for _, row := range found[1] {
		at[row[0]].Text = row[1]
	}
	for _, row := range found[2] {
		at[row[0]].Title = row[1]
	}
	titles := map[string]string{}
	for _, row := range found[4] {
		titles[row[0]] = row[1]
	}
	for _, row := range found[3] {
		at[row[0]].Refs = append(at[row[0]].Refs, shownThing{UID: row[1], Title: titles[row[1]]})
	}
	return things, nil
}

func withTitles(uids, titles [][2]string) []shownThing {
	things := make([]shownThing, len(uids))
	for i, row := range uids {
		things[i].UID = row[0]
		for _, titled := range titles {
			if titled[0] == row[0] {
				things[i].Title = titled[1]
			}
		}
	}
	return things
}

// rows runs a query for two texts a row.
func (r *guardedReader) rows(ctx context.Context, query, name string) (rows [][2]string, err error) {
	reply, err := r.caller.Send(ctx, plainQuery, query, name)
	if err != nil {
		return nil, localapi.UnsupportedQuery(err)
	}
	return rows, invalidNote(json.Unmarshal(reply.Result, &rows))
}

// seen reads a page or block without queries. What is above it is not known then, nor are
// the uids of the pages that it links.
func (r *guardedReader) seen(ctx context.Context, title, uid string) ([]shownThing, error) {
	thing, ask := Page, request{"title": title}
	if title == "" {
		thing, ask = Block, request{"uid": uid}
	}
	reply, err := r.caller.Send(ctx, thing.readAction(), ask)
	if err != nil {
		return nil, err
	}
	if title == "" && existing(reply.Result) == nil { // it may be a page
		if reply, err = r.caller.Send(ctx, Page.readAction(), ask); err != nil {
			return nil, err
		}
	}
	page := existing(reply.Result)
	if page == nil {
		return nil, nil
	}
	found := shownThing{UID: uid, Title: title}
	if own, _ := page.Text("uid"); own != "" {
		found.UID = own
	}
	for _, block := range blocksIn(reply.Result) {
		switch {
		case block.UID == "" && (!block.Header || found.UID == ""):
			return nil, &problem.Error{
				Code: localapi.CodeInvalidReply, Call: &problem.Call{Action: thing.readAction(), Sent: true}, Message: "Roam does not tell the uids of its blocks.",
			}
		case block.Header:
			found.Title = strings.TrimSpace(block.Title())
		}
		found.Blocks = append(found.Blocks, shownThing{UID: block.UID, Text: block.Text()})
	}
	return []shownThing{found}, nil
}
