package versions

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/problem"
)

// Options of a Book.
type Options struct {
	Journal *history.Journal // nil: there is none, and Off says why
	Graph   history.Graph
	Who     history.Who // calls
	Began   time.Time   // the call
	Now     func() time.Time
	// Off reports whether no texts of the graph are kept, and why; nil: they are. It is
	// called once at most.
	Off func(context.Context) (why problem.Hint, off bool)
	// Recorded is told when a version is recorded; nil: nobody is.
	Recorded func()
	Log      *slog.Logger // nil: nothing is logged. Never anything of a note
}

// Store is what one call reads and records of the versions of its graph. It is safe for
// concurrent use.
type Store struct {
	options Options
	off     func(context.Context) (problem.Hint, bool)

	mu         sync.Mutex
	own        map[string]bool            // IDs of what it has recorded
	hidden     map[string]map[string]bool // blocks that are hidden now, by page
	unrecorded bool
}

// New returns the book of a call.
func New(options Options) *Store {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	b := &Store{options: options, own: map[string]bool{}, hidden: map[string]map[string]bool{}}
	var once sync.Once
	var why problem.Hint
	var off bool
	b.off = func(ctx context.Context) (problem.Hint, bool) {
		once.Do(func() {
			if options.Journal == nil {
				why, off = problem.Say("The server was started with --no-journal."), true
			} else if options.Off != nil {
				why, off = options.Off(ctx)
			}
		})
		return why, off
	}
	return b
}

// Off reports whether no versions are kept of the graph, or they can't be read, and why.
// Where the user has not said, Roam is asked whether the graph is encrypted.
func (b *Store) Off(ctx context.Context) (why problem.Hint, off bool) {
	if why, off = b.off(ctx); off {
		return why, true
	}
	if _, err := b.options.Journal.Versions(ctx, history.VersionFilter{Graph: b.options.Graph, Limit: 1}); err != nil {
		failed := problem.FromError(err)
		return problem.Say("%s", failed.Message).Append(failed.Hint), true
	}
	return problem.Hint{}, false
}

// Unrecorded reports whether a version could not be recorded.
func (b *Store) Unrecorded() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unrecorded
}

// Saw tells of a page that was read live and whole: n is as ops.ReadNote returns it, or
// has nothing but the uid of a page that is not there any more. It returns the version
// that the page has now: the newest, or a new one where title or visible blocks differ
// from it. That is of kind Update, or what else happened, with its agent where the journal
// has a write that explains the difference, else Outside, or First.
//
// The zero Version is returned where versions are off; where it can't be recorded, which
// Unrecorded reports; of a page without blocks that has no version; and where another
// program has recorded a version since the call began that is another one, so that nobody
// knows which is newer.
func (b *Store) Saw(ctx context.Context, n note.Node) Version {
	b.mu.Lock()
	b.hidden[n.UID] = hiddenUIDs(n)
	b.mu.Unlock()
	return b.record(ctx, n, func(s sight) (history.Version, bool, error) {
		switch {
		case s.same():
			return s.newest, true, nil
		case s.newest.ID == "" && len(s.kept.Children) == 0:
			return history.Version{}, true, nil
		case s.newest.Seen.After(b.options.Began) && !b.isOwn(s.newest.ID):
			earlier, err := b.matching(ctx, s)
			return earlier, true, err
		}
		next, err := b.next(ctx, s)
		if err != nil {
			return next, false, err
		}
		return b.add(ctx, next, s)
	})
}

// Wrote tells that the call has written to a page: n is as ops.ReadNote returns it after
// that, and for Delete before it, since the version is empty. From is as in Version. It
// returns the new version, or the newest one where nothing differs; the zero Version where
// versions are off, or it can't be recorded, which Unrecorded reports.
func (b *Store) Wrote(ctx context.Context, kind Kind, from string, n note.Node) Version {
	var author string
	if kind == Delete {
		n.Children = nil
	} else {
		author = editor(n)
	}
	return b.record(ctx, n, func(s sight) (history.Version, bool, error) {
		if s.same() && (!s.newest.Seen.After(b.options.Began) || b.isOwn(s.newest.ID)) {
			return s.newest, true, nil
		}
		v := s.version(b.options.Now())
		v.Kind, v.From, v.Author, v.Agent, v.Client = string(kind), from, author, b.options.Who.Agent, b.options.Who.Client
		if s.same() { // somebody has seen it before this was recorded
			v.ID = s.newest.ID
			return v, true, b.options.Journal.AmendVersion(ctx, b.options.Graph, v)
		}
		return b.add(ctx, v, s)
	})
}

// sight is a page as it was read, beside its newest version.
type sight struct {
	node, kept note.Node
	tree       []byte
	newest     history.Version // zero: there is none
}

// same reports whether the page is as the newest version says.
func (s sight) same() bool {
	return s.newest.ID != "" && s.newest.Title == s.kept.Title && bytes.Equal(s.newest.Tree, s.tree)
}

// version returns the version that the page is at a time.
func (s sight) version(at time.Time) history.Version {
	visible := s.node.Visible()
	return history.Version{
		ID: newID(s.newest.ID, s.node.UID, strconv.FormatInt(at.UnixMilli(), 10), s.kept.Title, string(s.tree)),
		At: at, Page: s.node.UID, Title: s.kept.Title, Created: timeOf(visible.CreatedAt()), Updated: timeOf(visible.UpdatedAt()), Tree: s.tree,
	}
}

// newID returns an ID that hangs on all of its parts.
func newID(parts ...string) string {
	hash := sha256.New()
	for _, part := range parts {
		hash.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return hex.EncodeToString(hash.Sum(nil))[:40]
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

// tries is how often a version is made anew because another program was faster.
const tries = 5

// record has a version recorded, and made anew where another one has become the newest:
// the step reports false then. A failure is remembered and logged.
func (b *Store) record(ctx context.Context, n note.Node, step func(sight) (v history.Version, done bool, err error)) Version {
	if _, off := b.off(ctx); off || n.UID == "" {
		return Version{}
	}
	s := sight{node: n, kept: Kept(n)}
	s.tree = encode(s.kept)
	err := error(errTree)
	for try := 0; try < tries && len(s.tree) <= mostTree; try++ {
		if s.newest, err = b.newest(ctx, n.UID); err != nil {
			break
		}
		s.kept.Title = cmp.Or(n.Title, s.newest.Title) // a page that is gone has none
		var v history.Version
		var done bool
		if v, done, err = step(s); err != nil {
			break
		}
		if done {
			return shown(v)
		}
		err = errBusy
	}
	b.options.Log.Warn("a version of a note is not recorded", "code", problem.CodeOf(err), "error", err)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unrecorded = true
	return Version{}
}

var errBusy = errors.New("other programs record versions of the same page")

// newest returns the newest version of a page with its tree, the zero Version where there
// is none.
func (b *Store) newest(ctx context.Context, page string) (history.Version, error) {
	found, err := b.options.Journal.Versions(ctx, history.VersionFilter{Graph: b.options.Graph, Page: page, Limit: 1, Trees: true})
	if err != nil || len(found) == 0 {
		return history.Version{}, err
	}
	return found[0], nil
}

// add records a version where the newest is still the same.
func (b *Store) add(ctx context.Context, v history.Version, s sight) (history.Version, bool, error) {
	added, err := b.options.Journal.AddVersion(ctx, b.options.Graph, v, s.newest.ID)
	if added {
		b.mu.Lock()
		b.own[v.ID] = true
		b.mu.Unlock()
		if b.options.Recorded != nil {
			b.options.Recorded()
		}
	}
	return v, added, err
}

// matching returns the newest of the latest versions that is what was read; the zero
// Version where none is.
func (b *Store) matching(ctx context.Context, s sight) (history.Version, error) {
	latest, err := b.options.Journal.Versions(ctx, history.VersionFilter{Graph: b.options.Graph, Page: s.node.UID, Limit: tries, Trees: true})
	for _, v := range latest {
		if s.newest = v; s.same() {
			return v, nil
		}
	}
	return history.Version{}, err
}

// next returns the version of a page that differs from its newest.
func (b *Store) next(ctx context.Context, s sight) (history.Version, error) {
	visible := s.node.Visible()
	updated := timeOf(visible.UpdatedAt())
	at := b.options.Now()
	if !updated.IsZero() && updated.After(s.newest.Updated) {
		at = updated
	}
	if s.newest.ID == "" {
		v := s.version(at)
		v.Kind, v.Author = string(First), editor(s.node)
		return v, nil
	}
	before, err := decode(s.newest.Tree, s.newest.Page, s.newest.Title, nil)
	if err != nil {
		return history.Version{}, err
	}
	d := compare(before, s.kept)
	writings, err := b.options.Journal.Writings(ctx, b.options.Graph, d.uids())
	if err != nil {
		return history.Version{}, err
	}
	w, explained := explain(d, writings, s.newest, updated)
	if explained {
		at = cmp.Or(w.Done, w.Sent)
	}
	v := s.version(at)
	if v.Kind = string(Outside); explained {
		v.Kind, v.From = s.happened()
		v.Agent, v.Client = w.Agent, w.Client
	}
	if updated.After(s.newest.Updated) { // else nobody knows who took something away
		v.Author = editor(s.node)
	}
	return v, nil
}

// happened returns what a write has done to the page since its newest version.
func (s sight) happened() (kind, from string) {
	was, is := len(s.newest.Tree) > len(encode(note.Node{})), len(s.kept.Children) > 0
	switch {
	case was && !is:
		return string(Delete), ""
	case !was && is:
		return string(Create), ""
	case s.newest.Title != s.kept.Title:
		return string(Move), s.newest.Title
	}
	return string(Update), ""
}

// editor returns who edited last what is visible of a page; empty: unknown.
func editor(n note.Node) string {
	latest, name := int64(0), ""
	var walk func(nodes []note.Node)
	walk = func(nodes []note.Node) {
		for i := range nodes {
			if nodes[i].Edited > latest {
				latest, name = nodes[i].Edited, nodes[i].Editor.Name
			}
			walk(nodes[i].Children)
		}
	}
	visible := n.Visible()
	walk(visible.Children)
	if n.Edited > latest {
		name = n.Editor.Name
	}
	return name
}

func (b *Store) isOwn(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.own[id]
}

// shown returns a version as tools see it.
func shown(v history.Version) Version {
	return Version{
		ID: v.ID, Page: v.Page, At: v.At, Kind: Kind(v.Kind), Author: v.Author, Agent: v.Agent, Title: v.Title, From: v.From,
		Created: v.Created, Updated: v.Updated,
	}
}
