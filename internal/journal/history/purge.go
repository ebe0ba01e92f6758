package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/problem"
)

// Limits of Journal.Purge.
const (
	longestTurn   = 10 * time.Second // that others are waited for who settle, tidy, purge or write
	longestReader = 5 * time.Second  // that readers of an older state of the file are waited for
)

// Purge chooses what to remove. Its fields narrow each other; the zero Purge is refused.
type Purge struct {
	Graphs []Graph   // empty: all
	Before time.Time // calls that began earlier; zero: whenever
	Texts  bool      // keep calls and changes, without texts
	All    bool      // everything that no other field excludes; damaged journals too where none does
}

// Purged is what was removed, and what could not be.
type Purged struct {
	Calls, Changes int      // that were removed, or lost their texts
	Versions       int      // that were removed; they are texts
	Bytes          int64    // by which the files are smaller
	UnderWay       int      // calls that a live server is making; they are left as they are
	Waiting        bool     // another program reads an older state of the file: texts stay in the files until it ends and Purge or Tidy runs again
	Damaged        []string // paths of damaged journals that were moved aside and still hold texts
}

// Purge removes what was recorded, so that no byte of a text that is removed stays in
// the files of the journal: the file is written anew, and its log emptied. Bodies that other calls share stay. What live servers have under way is
// left as it is. Numbers are not given again.
//
// It waits for others who settle, tidy or purge. The code of its errors is
// CodeUnavailable or CodeTooNew; what was removed by then stays removed, and Purge can
// be run again.
func (j *remover) Purge(ctx context.Context, purge Purge) (Purged, error) {
	if !purge.All && !purge.Texts && len(purge.Graphs) == 0 && purge.Before.IsZero() {
		return Purged{}, &problem.Error{
			Code: CodeUnavailable, Message: "Nothing was chosen to be purged.", Retry: problem.RetryNever,
		}
	}
	var purged Purged
	release, err := j.turns(ctx, "purge", "settle")
	if err != nil {
		return purged, err
	}
	defer release()
	before := j.bytes()
	err = j.maintain(ctx, func(m *maintenance) error { return m.purge(ctx, purge, &purged) })
	if err == nil {
		err = j.purgeDamaged(purge, &purged)
	}
	purged.Bytes = max(0, before-j.bytes())
	return purged, j.explain(ctx, err)
}

// everything reports whether nothing is to be kept.
func (p Purge) everything() bool {
	return p.All && !p.Texts && len(p.Graphs) == 0 && p.Before.IsZero()
}

// turns takes several locks.
func (j *remover) turns(ctx context.Context, names ...string) (release func(), err error) {
	var releases []func()
	release = func() {
		for _, free := range releases {
			free()
		}
	}
	for _, name := range names {
		free, ok, err := j.Exclusive(ctx, name, longestTurn)
		if err == nil && !ok {
			err = &problem.Error{
				Code:    CodeUnavailable,
				Message: fmt.Sprintf("Another roam-mcp is at work on the journal (lock %s).", name),
				Hint:    problem.Say("Try again when it is done."), Retry: problem.RetryLater,
			}
		}
		if err != nil {
			release()
			return nil, err
		}
		releases = append(releases, free)
	}
	return release, nil
}

func (m *maintenance) purge(ctx context.Context, purge Purge, purged *Purged) error {
	err := m.transact(ctx, func() error { // they name an agent and a page, and graphs
		err := run(m.conn, "DELETE FROM meta WHERE name = ?1 OR name GLOB ?2", noticePrefix+string(CodeTakenOver), textsPrefix+"*")
		return errors.Join(err, m.put(purgingName, "1"))
	})
	if err == nil {
		*purged, err = m.remove(ctx, purge.removal())
	}
	if err == nil {
		err = m.removeUnused(ctx)
	}
	if err == nil {
		purged.Waiting, err = m.finish(ctx)
	}
	return err
}

// removal returns what a purge removes: calls, then versions.
func (p Purge) removal() removal {
	calls, args := Filter{Graphs: p.Graphs, Until: p.Before}.where()
	graphs, more := graphsQuery(p.Graphs)
	versions := "graph IN (" + graphs + ")"
	if !p.Before.IsZero() {
		versions, more = versions+" AND seen < ?", append(more, p.Before.UnixMilli())
	}
	return removal{"SELECT call.id FROM call WHERE " + calls + " UNION ALL SELECT -id FROM version WHERE " + versions, append(args, more...), !p.Texts}
}

// ToPurge returns how many calls and versions a purge chooses. Errors are those of Purge.
func (j *remover) ToPurge(ctx context.Context, purge Purge) (calls, versions int, err error) {
	err = j.maintain(ctx, func(m *maintenance) error {
		r := purge.removal()
		return rows(m.conn, "SELECT ifnull(sum(id > 0), 0), ifnull(sum(id < 0), 0) FROM ("+r.query+")", r.args, func(row *sqlite.Stmt) error {
			calls, versions = row.ColumnInt(0), row.ColumnInt(1)
			return nil
		})
	})
	return calls, versions, j.explain(ctx, err)
}

// purgeDamaged removes the damaged journals where everything is to go, and lists them
// where not.
func (j *remover) purgeDamaged(purge Purge, purged *Purged) error {
	var err error
	for _, path := range j.filesLike("journal.damaged-") {
		if purge.everything() {
			if failed := os.Remove(path); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
				err = cmp.Or(err, failed)
			}
		}
		if _, gone := os.Lstat(path); gone == nil && strings.HasSuffix(path, ".db") {
			purged.Damaged = append(purged.Damaged, path)
		}
	}
	return err
}
