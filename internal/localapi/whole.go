package localapi

import (
	"encoding/json"
	"fmt"
)

// PullLimit is how many values of an attribute a pull gives that heeds no :limit nil
// (LOCAL_API.md 9.8).
const PullLimit = 1000

// Values is a clause that finds what a pull lists of an entity ?e, as ?v.
type Values string

// The values that may be many.
const (
	Children  Values = "[?e :block/children ?v]"
	Refs      Values = "[?e :block/refs ?v]"
	Referrers Values = "[?v :block/refs ?e]"
)

func (v Values) noun() string {
	switch v {
	case Children:
		return "children"
	case Refs:
		return "references"
	case Referrers:
	}
	return "blocks that refer to it"
}

// CheckWhole returns an error if a pull gave PullLimit values of the thing with a uid, and a
// query counts more: what it left out would be taken for missing.
func CheckWhole(pulled int, uid string, values Values, ask func(query, uid string) (json.RawMessage, error)) error {
	if pulled != PullLimit {
		return nil
	}
	reply, err := ask("[:find (count ?v) . :in $ ?u :where [?e :block/uid ?u] "+string(values)+"]", uid)
	if err != nil {
		return UnsupportedQuery(err)
	}
	var all int
	if err := json.Unmarshal(reply, &all); err != nil {
		return UnsupportedReply("q", "a number", err)
	}
	if all <= PullLimit { // less, or null: somebody took some away meanwhile
		return nil
	}
	return UnsupportedReply("q", fmt.Sprintf("whole: ((%s)) has %d %s, and those beyond 1,000 would be missing", uid, all, values.noun()), nil)
}
