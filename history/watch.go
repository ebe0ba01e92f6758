package history

import (
	"context"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/poll"
)

// watchEvery is how often Journal.Watch looks.
const watchEvery = 150 * time.Millisecond

// Watch returns a channel that receives after every change of the file, by whatever
// process, and once the file comes to be, is replaced or deleted. Changes that follow
// each other closely may be received as one. It is closed when the context ends.
func (j *Journal) Watch(ctx context.Context) <-chan struct{} {
	return poll.Changes(ctx, watchEvery, func() glimpse { return j.glance(ctx) }, func(a, b glimpse) bool { return a == b })
}

// glimpse is what tells one state of the file from the next. Versions are those of a
// connection, and mean nothing to another.
type glimpse struct {
	file    *database // nil: there is none
	version int64
	failed  string // why the file can't be read
}

// glance looks at the file, without reading any of it where nothing has changed.
func (j *Journal) glance(ctx context.Context) (seen glimpse) {
	_, err := j.read(ctx, func(conn *sqlite.Conn) (err error) {
		seen.file = j.r
		seen.version, err = number(conn, "PRAGMA data_version")
		return err
	})
	if err != nil {
		seen.failed = err.Error()
	}
	return seen
}
