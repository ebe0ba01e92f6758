package mirror

import (
	"fmt"
	"strings"
)

// The queries are data patterns and pulls alone, which every build of Roam answers, with
// :as, since plain q drops the namespaces of keys, and with :limit nil, since a pull cuts
// lists at 1,000 (LOCAL_API.md 2.2).

const (
	// pagesQuery lists the pages. The times are for Keeper.since.
	pagesQuery = `[:find (pull ?e [:db/id [:block/uid :as "u"] [:node/title :as "t"] [:edit/time :as "e"] [:page/edit-time :as "n"] [:block/children :as "k" :limit nil]]) :where [?e :node/title]]`
	// referringQuery lists the blocks that refer to something.
	referringQuery = `[:find ?b ?p ?s :where [?b :block/refs] [?b :block/page ?p] [?b :block/string ?s]]`
	// referredQuery lists references to blocks, with the pages that those are on. What refers
	// to pages follows from the texts.
	referredQuery = `[:find ?b ?r ?p (pull ?b [[:edit/time :as "e"]]) :where [?b :block/refs ?r] [?r :block/page ?p]]`
	// belowHiddenQuery lists the blocks below those that hide.
	belowHiddenQuery = `[:find [?b ...] :in $ [?h ...] :where [?b :block/parents ?h]]`
	// usersQuery lists who has written.
	usersQuery = `[:find (pull ?e [:db/id [:user/uid :as "u"] [:user/display-name :as "n"]]) :where [?e :user/uid]]`
	// structureQuery lists which block is below which, and where.
	structureQuery = `[:find ?p ?e ?o :where [?p :block/children ?e] [?e :block/order ?o]]`
	// timesQuery lists when each page and block was edited last. It is apart from
	// structureQuery since some have no such time.
	timesQuery = `[:find ?e ?t :where [?e :edit/time ?t]]`
	// shortcutsQuery lists the places of pages among the shortcuts.
	shortcutsQuery = `[:find ?e ?n :where [?e :page/sidebar ?n]]`
	// titlesQuery lists the titles of pages.
	titlesQuery = `[:find ?e ?t :where [?e :node/title ?t]]`
)

// The patterns of trees: a page with all that is below it.
const (
	linksTree = `[:db/id [:block/uid :as "u"] [:node/title :as "t"] [:block/string :as "s"] [:edit/time :as "e"]` +
		` {[:block/refs :as "r" :limit nil] [:db/id [:block/page :as "p"]]} {[:block/children :as "k" :limit nil] ...}]`
	textsTree = `[:db/id [:block/uid :as "u"] [:node/title :as "t"] [:block/string :as "s"] [:block/order :as "o"]` +
		` [:block/heading :as "h"] [:block/text-align :as "a"] [:block/open :as "x"] [:children/view-type :as "v"]` +
		` [:create/time :as "c"] [:edit/time :as "e"] [:page/edit-time :as "n"] [:create/user :as "cu"] [:edit/user :as "eu"] [:page/sidebar :as "b"] [:log/id :as "l"]` +
		` {[:block/refs :as "r" :limit nil] [:db/id [:block/page :as "p"]]} {[:block/children :as "k" :limit nil] ...}]`
	// wherePattern tells what has a uid, and which page a block is on.
	wherePattern = `[:db/id [:block/uid :as "u"] [:node/title :as "t"] [:edit/time :as "e"] {[:block/page :as "p"] [:db/id [:block/uid :as "u"]]}]`
)

// changesPattern holds what changes of one entity are seen by.
const changesPattern = `[:db/id [:block/uid :as "u"] [:node/title :as "t"] [:block/string :as "s"] [:block/order :as "o"] [:block/heading :as "h"]` +
	` [:block/open :as "x"] [:edit/time :as "e"] {[:block/page :as "p"] [:db/id [:block/uid :as "u"]]}]`

// changesQuery asks for what was edited after a time, in ms since 1970, and with each for
// the ids of the pages that are watched. It finds nothing if one of those is gone.
func changesQuery(since int64, watched []*page) string {
	var find, where strings.Builder
	for i, p := range watched {
		fmt.Fprintf(&find, " ?w%d", i)
		fmt.Fprintf(&where, " [?w%d :block/uid %q]", i, p.uid)
	}
	return fmt.Sprintf(`[:find (pull ?e %s)%s :where%s [?e :edit/time ?t] [(> ?t %d)]]`, changesPattern, &find, &where, since)
}

// wholeQuery asks for all pages as trees.
func wholeQuery() string { return `[:find (pull ?e ` + textsTree + `) :where [?e :node/title]]` }

// entitiesQuery asks for entities by a pattern; their ids are its input.
func entitiesQuery(pattern string) string {
	var b strings.Builder
	b.WriteString(`[:find (pull ?e `)
	b.WriteString(pattern)
	b.WriteString(`) :in $ [?e ...]]`)
	return b.String()
}
