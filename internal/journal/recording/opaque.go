package recording

import (
	"context"
	"encoding/json"
	"fmt"

	"roam-mcp/internal/graph/fact"
)

// mostEdited is how many uids are kept of what was edited while an extension ran.
const mostEdited = 1000

// readOpaque asks what was edited while an extension ran: uids and no texts, since
// others may have edited it.
func (f afterRead) readOpaque(ctx context.Context) (afterImage, error) {
	result, err := f.ask(ctx, "q", `[:find ?u ?t :in $ ?since ?until :where [?e :edit/time ?t] [(>= ?t ?since)] [(<= ?t ?until)] [?e :block/uid ?u]]`, f.since, f.until)
	if err != nil {
		return afterImage{}, err
	}
	var rows [][]any
	if err := json.Unmarshal(result, &rows); err != nil {
		return afterImage{}, fmt.Errorf("what was edited is no list of rows: %w", err)
	}
	edited := fact.NewTouches(fact.State{})
	for _, row := range rows[:min(len(rows), mostEdited)] {
		if len(row) > 0 {
			uid, _ := row[0].(string)
			edited.Add(fact.RoleTarget, uid)
		}
	}
	return afterImage{touches: edited.List()}, nil
}
