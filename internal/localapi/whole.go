package localapi

import (
	"encoding/json"
	"fmt"

	"roam-mcp/internal/problem"
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
	invalid := problem.Error{Code: CodeInvalidReply, Call: &problem.Call{Action: "q", Sent: true}, Message: "Roam's answer to a query is no number."}
	var all int
	if invalid.Err = json.Unmarshal(reply, &all); invalid.Err != nil {
		return &invalid
	}
	if all <= PullLimit { // less, or null: somebody took some away meanwhile
		return nil
	}
	invalid.Message = fmt.Sprintf("This Roam cuts lists at 1,000: ((%s)) has %d %s, and those beyond would be missing.", uid, all, values.noun())
	invalid.Hint = problem.Say("Divide it in Roam into parts of less than 1,000, or update %s.", problem.Roam)
	return &invalid
}
