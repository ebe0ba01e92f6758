package history

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"zombiezen.com/go/sqlite"
)

// ErrLookAgain reports that what an intent is based on may have changed since its look,
// by a change that is newer than the look's mark or under way; see Journal.Intend.
var ErrLookAgain = errors.New("another change touches the same blocks; look again")

// Journal is the journal of a user, as one process uses it. It is safe for concurrent
// use.
type Journal struct {
	options Options
}

// New returns the journal of a folder. It opens nothing and makes nothing: the first
// Intend does.
func New(options Options) *Journal {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	usual := DefaultKeep()
	options.Keep.Days = cmp.Or(options.Keep.Days, usual.Days)
	options.Keep.Megabytes = cmp.Or(options.Keep.Megabytes, usual.Megabytes)
	return &Journal{options: options}
}

// Close records that this process ends, and frees its lock.
func (j *Journal) Close(ctx context.Context) error { return nil }

// Mark returns a number for Intent.Mark. It is to be taken before a look: every change
// that is recorded or ends later is newer.
func (j *Journal) Mark(ctx context.Context) (int64, error) { return 1, nil }

// Intend records a change that is about to be sent. When it returns nil, the record is
// on disk.
//
// Where Intent.Mark is set, it waits up to a second for what other servers still have to
// read about earlier changes of the graph, and returns ErrLookAgain where a change that
// is newer than the mark, or that is open with a server that lives, touches the same
// blocks. The code of other errors is CodeUnavailable or CodeTooNew; nothing is recorded
// then.
func (j *Journal) Intend(ctx context.Context, in Intent) (Change, error) { return Change{}, nil }

// Finish records how a change ended. Where that can't be written it is kept in memory
// and tried again, and Intend refuses until it is written. A change that has ended stays
// as it is, unless its state is StateUnknown.
func (j *Journal) Finish(ctx context.Context, c Change, out Outcome) error { return nil }

// After records what a change left.
func (j *Journal) After(ctx context.Context, c Change, a Aftermath) error { return nil }

// Stopped records a call that was refused with the code before anything was sent. Of the
// intent it keeps who, where and which tool, and no text.
func (j *Journal) Stopped(ctx context.Context, in Intent, code string) error { return nil }

// Abandoned returns the changes that are open and whose server does not live, oldest
// first; of one graph, or of all for nil.
func (j *Journal) Abandoned(ctx context.Context, graph *Graph) ([]Open, error) { return nil, nil }

// Unread returns the changes that are done, of which nobody has read what they left, and
// whose server does not live, oldest first; of one graph, or of all for nil. Changes
// whose request was not kept are not among them.
func (j *Journal) Unread(ctx context.Context, graph *Graph) ([]Open, error) { return nil, nil }

// Exclusive takes the lock of a name ("settle", "tidy", "purge") among all processes,
// and waits for it so long. It reports whether it has it; then release frees it.
func (j *Journal) Exclusive(ctx context.Context, name string, wait time.Duration) (release func(), ok bool, err error) {
	return func() {}, true, nil
}

// Servers returns the processes that wrote to the journal, newest first.
func (j *Journal) Servers(ctx context.Context) ([]Server, error) { return nil, nil }

// Notices returns what a person should know about the journal.
func (j *Journal) Notices(ctx context.Context) ([]Notice, error) { return nil, nil }

// DismissNotices forgets the notices, as far as their cause is over.
func (j *Journal) DismissNotices(ctx context.Context) error { return nil }

// read runs a function on the connection for reading, in one snapshot of the file. It
// reports false, and does not run it, where there is no journal.
func (j *Journal) read(ctx context.Context, do func(*sqlite.Conn) error) (bool, error) {
	return false, nil
}

// transact runs a function in a transaction that writes. It makes the journal where
// there is none. What it returns nil for survives the end of the process at once, and
// with durable a power cut.
func (j *Journal) transact(ctx context.Context, durable bool, do func(*sqlite.Conn) error) error {
	return nil
}

// path is that of the database.
func (j *Journal) path() string { return "" }
