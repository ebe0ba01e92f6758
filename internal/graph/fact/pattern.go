package fact

import (
	"strings"

	"roam-mcp/internal/lazyregexp"
)

// Each attribute that is pulled gets a name that nothing else has, since Roam cuts
// names to their last part in the answer to a query (LOCAL_API.md 2.2), and the names
// of other attributes come with them.
const (
	userPattern = `[[:user/uid :as "f-uid"] [:user/display-name :as "f-name"]]`
	uidPattern  = `[[:block/uid :as "f-uid"] [:block/order :as "f-order"]]`

	ownPattern = `[:block/uid :as "f-uid"] [:node/title :as "f-title"] [:block/string :as "f-string"] [:block/heading :as "f-heading"] ` +
		`[:block/open :as "f-open"] [:block/text-align :as "f-align"] [:children/view-type :as "f-children-view"] ` +
		`[:block/view-type :as "f-block-view"] [:block/props :as "f-props"] [:block/order :as "f-order"] [:page/sidebar :as "f-shortcut"] ` +
		`[:log/id :as "f-day"] [:create/time :as "f-created"] [:edit/time :as "f-edited"] {[:edit/user :as "f-user"] ` + userPattern + `}`
	pagePattern = `{[:block/page :as "f-page"] [[:block/uid :as "f-uid"] [:node/title :as "f-title"]]}`

	childrenPattern = `{[:block/children :as "f-children" :limit nil] ` + uidPattern + `}`
	parentPattern   = `{[:block/_children :as "f-_children"] [[:block/uid :as "f-uid"]]}`
	siblingsPattern = `{[:block/_children :as "f-_children"] [[:block/uid :as "f-uid"] ` + childrenPattern + `]}`

	textsAbovePattern = `{[:block/parents :as "f-parents" :limit nil] [[:block/string :as "f-string"]]}`
	referrerPattern   = `[` + ownPattern + ` ` + pagePattern + ` ` + parentPattern + ` ` + childrenPattern +
		` ` + textsAbovePattern + `]`
	referrersPattern = `{[:block/_refs :as "f-_refs" :limit nil] ` + referrerPattern + `}`
	abovePattern     = `{[:block/parents :as "f-parents" :limit nil] [` + ownPattern + `]}`

	lineagePattern = `[[:block/uid :as "f-uid"] [:block/string :as "f-string"] [:node/title :as "f-title"] {[:block/parents :as "f-parents" :limit nil] ` +
		`[[:block/uid :as "f-uid"] [:block/string :as "f-string"] [:node/title :as "f-title"] {[:block/parents :as "f-parents" :limit nil] [[:block/uid :as "f-uid"]]}]}]`
	titlePattern   = `[[:block/uid :as "f-uid"] [:create/time :as "f-created"]]`
	thingPattern   = `[` + ownPattern + ` ` + pagePattern + ` ` + siblingsPattern + ` ` + childrenPattern + `]`
	manyPattern    = `[` + ownPattern + ` ` + pagePattern + ` ` + parentPattern + ` ` + childrenPattern + `]`
	familyPattern  = `[[:block/uid :as "f-uid"] ` + childrenPattern + `]`
	titledPattern  = `[` + ownPattern + ` ` + pagePattern + ` ` + siblingsPattern + ` ` + childrenPattern + ` ` + referrersPattern + `]`
	mergedPattern  = `[* ` + ownPattern + ` {[:block/children :as "f-children" :limit nil] [` + ownPattern + `]} ` + referrersPattern + `]`
	removedPattern = `[* ` + ownPattern + ` ` + pagePattern + ` ` + siblingsPattern + ` ` + referrersPattern + ` ` + textsAbovePattern +
		` {[:block/children :as "f-children" :limit nil] [* ` + ownPattern + ` ` + referrersPattern + ` {[:block/children :as "f-children" :limit nil] ...}]}]`
	madePattern = `[` + ownPattern + ` ` + pagePattern + ` ` + siblingsPattern + ` ` + abovePattern +
		` {[:block/children :as "f-children" :limit nil] [` + ownPattern + ` {[:block/children :as "f-children" :limit nil] ...}]}]`
)

// optioned matches an attribute with options that leads to a pattern of its own.
var optioned = lazyregexp.New(`\{\[(:[a-z]+/_?[a-z]+)[^\]]*\]`)

// withoutOptions returns a pattern whose attributes have no options where they lead to
// patterns of their own. Such keys are those of the attributes.
func withoutOptions(pattern string) string { return optioned.ReplaceAllString(pattern, "{$1") }

// knownAttribute reports whether an attribute is one that a Fact holds, or that Roam
// derives from others. A query cuts names to their last part.
func knownAttribute(name string) bool {
	if strings.HasPrefix(name, "f-") {
		return true
	}
	switch strings.TrimPrefix(name, ":") {
	case "block/uid", "block/string", "block/order", "block/children", "block/parents", "block/page", "block/refs", "block/open",
		"block/heading", "block/text-align", "block/view-type", "block/props", "children/view-type", "node/title", "log/id",
		"page/sidebar", "page/edit-time", "page/edit-user", "page/word-count", "create/time", "create/user", "edit/time", "edit/user",
		"entity/attrs", "attrs/lookup", "db/id":
		return true
	case "uid", "string", "order", "children", "parents", "page", "refs", "open", "heading", "text-align", "view-type", "props",
		"title", "sidebar", "edit-time", "edit-user", "word-count", "time", "user", "attrs", "lookup", "id":
		return true
	}
	return false
}
