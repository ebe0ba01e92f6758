package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

const (
	lookTimeout = 5 * time.Second
	// lookAgain is the time between two looks: a write may still be on its way
	// when it is looked for the first time.
	lookAgain = 2 * time.Second

	// A read that fails while a write is looked for is made again, after
	// readAgain the first time and twice as long each further time.
	readTries = 6
	readAgain = 50 * time.Millisecond
)

// verifier reads what a graph holds, to see what became of a write. A Datalog query
// shows what is stored, and when it was changed.
type verifier struct{ graph *core }

// read runs a read. What broke the write may break the read too, so a read that
// fails is made again, unless Roam does not know or not permit it.
func (l verifier) read(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
	for try := 1; ; try++ {
		reply, err := l.graph.caller.Look(ctx, action, args...)
		if err == nil {
			return reply.Result, nil
		}
		if try == readTries || !canSucceedLater(err) || !l.graph.operations.options.Wait(ctx, readAgain<<(try-1)) {
			return nil, err
		}
	}
}

// canSucceedLater reports whether a read may succeed when it is made again.
func canSucceedLater(err error) bool {
	failed, ok := problem.AsCall(err)
	return ok && !IsUnsupported(err) && failed.Status() != 401 && failed.Status() != 403 && failed.Code != localapi.CodeCancelled
}

// rows runs a query.
func (l verifier) rows(ctx context.Context, query string, inputs ...any) (rows [][]any, err error) {
	result, err := l.read(ctx, plainQuery, append([]any{query}, inputs...)...)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(result, &rows); err != nil {
		return nil, localapi.UnsupportedReply(plainQuery, listOfRows, err)
	}
	return rows, nil
}

// createdSince asks for the uids and texts of the blocks created in a target
// since a time. where binds ?p to it.
func (l verifier) createdSince(ctx context.Context, where, target string, since int64) ([][]any, error) {
	return l.rows(ctx, `[:find ?u ?s :in $ ?target ?since :where `+where+
		` [?e :block/parents ?p] [?e :block/string ?s] [?e :create/time ?t] [(>= ?t ?since)] [?e :block/uid ?u]]`, target, since)
}

// blocksIn returns the blocks of a reply that holds markdown; none where there is
// no such reply.
func blocksIn(result json.RawMessage) []outline.RenderedBlock {
	markdown, _ := rawjson.Parse(result).Text("markdown")
	return outline.RenderedBlocks(markdown)
}

// isSince reads a time out of a row.
func isSince(row []any, at int, since int64) bool {
	time, ok := row[at].(float64)
	return ok && int64(time) >= since
}

// cantLook says why a look failed.
func cantLook(err error) string {
	why := Explained(err).Message
	if why == "" {
		why = "The call failed."
	}
	return cantLookNow + why
}

const cantLookNow = "It can't be looked at now: "

// field is a field of a thing, by Roam's key, and the value wanted for it.
type field struct {
	key   string
	value any
}

// judgeFields decides whether a thing was changed as wanted from the values that
// a query found for keys, followed by the time of the last change.
func judgeFields(thing Thing, rows [][]any, err error, since int64, wanted []field, keys ...string) (Applied, string) {
	noun := string(thing)
	switch {
	case err != nil:
		return Unknown, cantLook(err)
	case len(rows) == 0:
		return No, "There is no such " + noun + "."
	case len(rows[0]) != len(keys)+1:
		return Unknown, "Roam's answer to a query is not understood."
	}
	as, edited := true, isSince(rows[0], len(keys), since)
	for i, key := range keys {
		for _, f := range wanted {
			if f.key == key && stored(rows[0][i]) != stored(f.value) {
				as = false
			}
		}
	}
	switch {
	case as && edited:
		return Yes, "The " + noun + " is as the call wanted it, and was changed since the call."
	case as:
		return Unknown, "The " + noun + " is as the call wanted it, so there is nothing to do; it may have been so before."
	case edited:
		return Unknown, "The " + noun + " was changed since the call, but is not as the call wanted it."
	}
	return No, "The " + noun + " was not changed since the call."
}

// stored returns a value as it can be compared: keywords come with or without colon.
func stored(value any) string {
	return strings.TrimSpace(strings.TrimPrefix(fmt.Sprint(value), ":"))
}
