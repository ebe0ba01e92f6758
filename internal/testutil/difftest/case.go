package difftest

import (
	"context"
	"encoding/json"

	"roam-mcp/internal/graph/datalog"
	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
)

// Case is one query, or one pull where Pattern is not empty.
type Case struct {
	Query     string      `json:"query,omitempty"`
	Inputs    []any       `json:"inputs,omitempty"` // scalars, lists of them, and rules as text
	Pattern   string      `json:"pattern,omitempty"`
	Entity    graphdb.EID `json:"entity,omitempty"`
	Deviation string      `json:"-"` // the name of the Deviation it runs into, or ""
}

// Answer gives the engine's answer as JSON: in the style of q for a query, in
// that of data.pull for a pull.
func (c Case) Answer(ctx context.Context, db *graphdb.DB) ([]byte, error) {
	if c.Pattern != "" {
		v, err := datalog.Pull(ctx, db, c.Pattern, c.Entity, datalog.Options{})
		return datalog.AppendJSON(nil, v, datalog.Qualified), err
	}
	q, err := datalog.Parse(c.Query)
	if err != nil {
		return nil, err
	}
	res, err := datalog.Run(ctx, db, q, c.Inputs, datalog.Options{})
	if err != nil {
		return nil, err
	}
	return res.JSON(datalog.Stripped)
}

// MapForm returns a query in the form of a vector, [:find ?e :where …], in the form
// of a map, {:find [?e] :where […]}. It panics if the query is none.
func MapForm(query string) string {
	form, err := edn.Parse(query, edn.Limits{})
	if err != nil {
		panic(err)
	}
	sections := &edn.Map{}
	for rest := form.(edn.Vector); len(rest) > 0; {
		end := 1
		for end < len(rest) && !isKeyword(rest[end]) {
			end++
		}
		sections.Put(rest[0], rest[1:end])
		rest = rest[end:]
	}
	return edn.Print(sections)
}

func isKeyword(x any) bool {
	_, ok := x.(edn.Keyword)
	return ok
}

// Hash returns a hash of the case, which tells a golden made for another one.
func (c Case) Hash() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // a case holds nothing that JSON can't
	}
	return hash(string(b))
}
