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
// the files of the journal: what goes is overwritten, the file is written anew, and its
// log emptied. Bodies that other calls share stay. What live servers have under way is
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
	release, err := j.turns(ctx, "purge", "tidy", "settle")
	if err != nil {
		return purged, err
	}
	defer release()
	before := j.bytes()
	err = j.maintain(ctx, writingAnew, func(m *maintenance) error { return m.purge(ctx, j.options.Now(), purge, &purged) })
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

func (m *maintenance) purge(ctx context.Context, now time.Time, purge Purge, purged *Purged) error {
	if err := m.note(ctx, purgingName, "1"); err != nil {
		return err
	}
	err := m.transact(ctx, func() error { // they name an agent and a page, and graphs
		return run(m.conn, "DELETE FROM meta WHERE name = ?1 OR name GLOB ?2", noticePrefix+string(CodeTakenOver), textsPrefix+"*")
	})
	if err != nil {
		return err
	}
	if purge.everything() {
		if done, err := m.purgeEverything(ctx, purged); err != nil || done {
			if err == nil {
				err = m.clean(ctx, now, purged)
			}
			return err
		}
	}
	*purged, err = m.remove(ctx, purge.removal())
	if err == nil {
		err = m.removeUnused(ctx)
	}
	if err != nil {
		return err
	}
	return m.clean(ctx, now, purged)
}

// removal returns what a purge removes: calls, then versions.
func (p Purge) removal() removal {
	calls, args := Filter{Graphs: p.Graphs, Until: p.Before}.where()
	versions, more := p.versions()
	return removal{"SELECT call.id FROM call WHERE " + calls + " UNION ALL SELECT -id FROM version WHERE " + versions, append(args, more...), !p.Texts}
}

// versions returns the condition of the versions that a purge chooses.
func (p Purge) versions() (condition string, args []any) {
	graphs, args := graphsQuery(p.Graphs)
	condition = "graph IN (" + graphs + ")"
	if !p.Before.IsZero() {
		condition, args = condition+" AND seen < ?", append(args, p.Before.UnixMilli())
	}
	return condition, args
}

// purgeEverything empties the tables, unless something is under way.
func (m *maintenance) purgeEverything(ctx context.Context, purged *Purged) (done bool, err error) {
	err = m.transact(ctx, func() error {
		underWay, err := m.underWay()
		if err != nil || len(underWay) > 0 {
			return err
		}
		counts := []int64{0, 0, 0}
		for i, table := range []string{"call", "change", "version"} {
			if counts[i], err = number(m.conn, "SELECT count(*) FROM "+table); err != nil {
				return err
			}
		}
		purged.Calls, purged.Changes, purged.Versions = int(counts[0]), int(counts[1]), int(counts[2])
		for _, table := range []string{"touch", "page", "change", "call", "version", "body"} {
			if err := run(m.conn, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		done = true
		return nil
	})
	if err == nil && done {
		err = m.removeUnused(ctx)
	}
	return done, err
}

// clean writes the file anew and empties its log, so that nothing is left of what was
// removed: moving rows between pages leaves copies behind, which secure_delete does not
// know of.
func (m *maintenance) clean(ctx context.Context, now time.Time, purged *Purged) error {
	if err := m.vacuum(ctx, now); err != nil {
		return err
	}
	for started := time.Now(); ; {
		emptied, err := m.emptyLog()
		if err == nil && emptied {
			return m.transact(ctx, func() error { return run(m.conn, "DELETE FROM meta WHERE name = ?1", purgingName) })
		}
		if err != nil {
			return err
		}
		if time.Since(started) > m.readers {
			purged.Waiting = true
			return nil
		}
		if err := pause(ctx, longestStep); err != nil {
			return err
		}
	}
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
