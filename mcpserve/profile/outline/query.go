package outline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/logseqview"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// The schemas in which a graph can be asked.
const (
	schemaRoam   = "roam"
	schemaLogseq = "logseq"
)

// warnHidden is said with every answer of Roam's own.
const warnHidden = "Hidden blocks are not filtered from queries in Roam's schema."

// answered are the rows that answer a query, and what is to be said of them.
type answered struct {
	schema   string
	rows     []json.RawMessage
	warnings []string
}

// datascriptQuery answers datascript_query: with Roam where the query has its attributes,
// from the mirror where it has those of Logseq (profiles/outline.md, "Queries in Logseq's
// schema").
func datascriptQuery(ctx context.Context, c surface.Call) (surface.Reply, error) {
	began := c.Now()
	limit := time.Duration(c.Args().Number("timeout_ms", 10_000)) * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found, err := ask(ctx, c, c.Args().Text("query"), limit)
	if err != nil {
		return surface.Reply{}, err
	}
	slices.SortFunc(found.rows, func(a, b json.RawMessage) int { return bytes.Compare(a, b) }) // neither schema has an order
	rows := found.rows[:min(len(found.rows), c.Args().Number("limit", 100))]
	reply := rawjson.With("results", rawjson.Array(rows)).With("count", len(found.rows)).With("truncated", len(rows) < len(found.rows)).
		With("schema", found.schema).With("elapsed_ms", c.Now().Sub(began).Milliseconds())
	if len(found.warnings) > 0 {
		reply = reply.With("warnings", found.warnings)
	}
	return surface.Reply{JSON: reply.JSON()}, nil
}

// askForLess says how to get the rows that a reply has no room for: a query has no offset,
// since nothing keeps its answer.
func askForLess(surface.Arguments, int) problem.Hint {
	return say("find uids, or pull fewer attributes")
}

// ask answers a query in the schema that its attributes tell.
func ask(ctx context.Context, c surface.Call, text string, limit time.Duration) (answered, error) {
	raw := c.Args().Values("inputs")
	inputs := make([]any, len(raw))
	for i, input := range raw {
		inputs[i] = decoded(input)
	}
	query, err := logseqview.Parse(text, inputs)
	if err != nil {
		return answered{}, unreadable(c, text, err)
	}
	logseq, roam := query.Attributes()
	switch {
	case len(logseq) > 0 && len(roam) > 0:
		return answered{}, surface.Invalid(c.ToolName(), "%s is of Logseq's schema and %s of Roam's: a query takes the attributes of one of them.", logseq[0], roam[0])
	case len(logseq) > 0:
		return askLogseq(ctx, c, query, text)
	}
	found, err := c.Graph().Datalog(ctx, ops.Datalog{Query: withTimeout(text, limit), Inputs: raw})
	if err != nil {
		return answered{}, err
	}
	return answered{schema: schemaRoam, rows: rowsOf(found), warnings: []string{warnHidden}}, nil
}

// decoded returns a JSON value with its numbers as they are written.
func decoded(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return nil // what arrives here was checked
	}
	return value
}

// unreadable is the error of a query that logseqview can't take.
func unreadable(c surface.Call, text string, err error) error {
	if failed := ops.InvalidDatalog(text, err.Error()); len(failed.Details) > 0 {
		return failed
	}
	return surface.Invalid(c.ToolName(), "%s.", strings.TrimSuffix(err.Error(), "."))
}

// withTimeout returns a query with a time limit of its own, unless it has one: Roam then
// stops working on what nobody waits for.
func withTimeout(query string, limit time.Duration) string {
	end := strings.TrimRight(query, " \t\r\n")
	if strings.Contains(query, ":timeout") || strings.Contains(query, ";") || end == "" {
		return query
	}
	last := len(end) - 1
	if end[last] != ']' && end[last] != '}' {
		return query
	}
	return fmt.Sprintf("%s :timeout %d%s", end[:last], limit.Milliseconds(), end[last:])
}

// rowsOf returns the rows that Roam has found: those of a list, or the only one.
func rowsOf(found ops.Found) []json.RawMessage {
	switch text := string(found.Result); {
	case found.Rows != nil:
		return found.Rows
	case cmp.Or(text, "null") == "null", text == "[]":
		return nil
	}
	return []json.RawMessage{found.Result}
}
