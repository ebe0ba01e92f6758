package wiki

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve/surface"
)

// cursor is where a page of hits begins.
type cursor struct {
	query  uint64 // hash of the query
	offset int    // from 0
	hits   int    // how many there are on a page
}

// maxOffset bounds the offset of a cursor.
const maxOffset = 1 << 30

// String returns the cursor as it stands in a reply.
func (r cursor) String() string {
	text := binary.BigEndian.AppendUint64(nil, r.query)
	text = binary.AppendUvarint(text, uint64(r.offset))
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(text, uint64(r.hits)))
}

// parseCursor reads a cursor; false for what is none.
func parseCursor(text string) (cursor, bool) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) < 8 {
		return cursor{}, false
	}
	query, raw := binary.BigEndian.Uint64(raw), raw[8:]
	offset, n := binary.Uvarint(raw)
	if n <= 0 || offset > maxOffset {
		return cursor{}, false
	}
	hits, m := binary.Uvarint(raw[n:])
	if m <= 0 || n+m != len(raw) || hits < 1 || hits > maxHits {
		return cursor{}, false
	}
	return cursor{query, int(offset), int(hits)}, true
}

// pageOfHits returns the page that a call asks for.
func pageOfHits(c surface.Call, query string) (cursor, error) {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(query))
	at := cursor{query: hash.Sum64(), hits: defaultHits}
	if text := c.Args().Text("cursor"); text != "" {
		given, ok := parseCursor(text)
		switch {
		case !ok:
			return at, badCursor("it is none that this tool gave")
		case given.query != at.query:
			return at, badCursor("it belongs to another query")
		}
		at = given
	}
	at.hits = c.Args().Number("limit", at.hits)
	return at, nil
}

func badCursor(why string) error {
	return &problem.Error{
		Code: surface.CodeInvalidParams, Message: "cursor is not valid: " + why + ".", Retry: problem.RetryNever,
		Hint: say("Send the query that the cursor came with, or leave it out to begin from the first result."),
	}
}
