package fact

import "strings"

// Each attribute that is pulled gets a name that nothing else has, since the names of other
// attributes come with them.
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

// knownAttribute reports whether an attribute is one that a Fact holds, or that Roam
// derives from others.
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
	}
	return false
}
