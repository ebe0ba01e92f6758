package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"roam-mcp/internal/localapi"
)

// shownText is how many characters of a block the reply to a write shows.
const shownText = 80

// Line returns a block as a read shows it (LOCAL_API.md 9.6), cut short.
func Line(uid, text string) string { return line(uid, text, shownText) }

// line returns a block as a read shows it, with its first line alone and at most n
// characters of it. A text that is cut says so in its tag, so that nobody writes it
// back.
func line(uid, text string, n int) string {
	text, left := cutLine(text, n)
	if left > 0 {
		return fmt.Sprintf("- %s <roam uid=%q truncated=\"%d\"/>", text, uid, left)
	}
	return fmt.Sprintf("- %s <roam uid=%q/>", text, uid)
}

// cutLine returns at most n characters of the first line of a text, and how many are left.
func cutLine(text string, n int) (line string, left int) {
	runes := []rune(strings.TrimRight(text, " \t\n"))
	kept := len(runes)
	if first, _, several := strings.Cut(string(runes), "\n"); several {
		kept = len([]rune(first))
	}
	kept = min(kept, n)
	return string(runes[:kept]), len(runes) - kept
}

// rows runs a query before a write, or for the reply to it.
func (g *core) rows(ctx context.Context, query string, inputs ...any) (rows [][]any, err error) {
	answer, err := g.ask(ctx, plainQuery, append([]any{query}, inputs...)...)
	if err != nil {
		return nil, localapi.UnsupportedQuery(err)
	}
	if err := json.Unmarshal(answer, &rows); err != nil {
		return nil, localapi.UnsupportedReply(plainQuery, listOfRows, err)
	}
	return rows, nil
}

// listOfRows is what the reply to a query is.
const listOfRows = "a list of rows"

// existingQuery asks which of some uids there are.
const existingQuery = `[:find ?u :in $ [?u ...] :where [?e :block/uid ?u]]`

// existing returns those of some uids that a page or block has.
func (g *core) existing(ctx context.Context, uids []string) (map[string]bool, error) {
	rows, err := g.rows(ctx, existingQuery, uids)
	return uidsOfRows(rows), err
}

// uidsOfRows returns the uids of rows that have nothing else.
func uidsOfRows(rows [][]any) map[string]bool {
	found := make(map[string]bool, len(rows))
	for _, row := range rows {
		if len(row) == 1 {
			uid, _ := row[0].(string)
			found[uid] = true
		}
	}
	return found
}
