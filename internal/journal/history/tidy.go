package history

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// What Journal.Tidy keeps whatever Options.Keep says, and for how long (JOURNAL.md, Size
// and time).
const (
	day         = 24 * time.Hour
	alwaysKept  = day       // texts
	linesKept   = 365 * day // calls without texts
	vacuumEvery = 7 * day
	quiet       = time.Minute // without a change, before the file is written anew
)

// Tidy removes the texts of calls and the versions that are older than Options.Keep.Days,
// and the oldest ones while the file is larger than Options.Keep.Megabytes (of 2^20
// bytes), the newest version of each page last.
// Calls without texts stay for a year, or until the texts of the last day alone are too
// large. Calls and versions of the last 24 hours and open calls stay as they are.
//
// It keeps writers waiting for about 20 ms at a time, but for once a week, when nobody
// has written for a minute: then the file is written anew. It does nothing where another
// process is tidying.
func (j *remover) Tidy(ctx context.Context) error {
	release, ok, err := j.Exclusive(ctx, "tidy", 0)
	if err != nil || !ok {
		return err
	}
	defer release()
	err = j.maintain(ctx, overwriting, func(m *maintenance) error {
		now, keep := j.options.Now(), j.options.Keep
		return m.tidy(ctx, now, now.Add(-time.Duration(keep.Days)*day), int64(keep.Megabytes)<<20)
	})
	return j.explain(ctx, err)
}

// tidy removes texts from before a time, and what makes the file larger than so many
// bytes.
func (m *maintenance) tidy(ctx context.Context, now, old time.Time, most int64) error {
	recent := now.Add(-alwaysKept)
	for _, aged := range []struct {
		query  string
		before time.Time
		lines  bool
	}{
		{withTexts, earlier(recent, old), false},
		{anyVersion, earlier(recent, old), false},
		{anyCall, now.Add(-linesKept), true},
	} {
		if _, err := m.remove(ctx, removal{aged.query, []any{aged.before.UnixMilli(), -1}, aged.lines}); err != nil {
			return err
		}
	}
	for _, oldest := range []removal{{query: textsAndVersions}, {query: anyVersion}, {query: anyCall, lines: true}} {
		oldest.args = []any{recent.UnixMilli(), mostRemoved}
		if err := m.shrink(ctx, oldest, most); err != nil {
			return err
		}
	}
	if err := m.removeUnused(ctx); err != nil {
		return err
	}
	if err := m.giveBack(ctx); err != nil {
		return err
	}
	purging, err := number(m.conn, "SELECT count(*) FROM meta WHERE name = ?1", purgingName)
	if err == nil && purging > 0 { // a purge did not come to its end
		return m.clean(ctx, now, &Purged{})
	}
	if err != nil {
		return err
	}
	return m.vacuumSeldom(ctx, now)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Queries for the oldest calls that are not open and the oldest versions, which are from
// before ?1, at most ?2. The last one finds what the first does, and the versions that are
// not the newest of their page.
const (
	withTexts  = "SELECT id FROM call INDEXED BY call_texts WHERE texts = 1 AND at < ?1 AND state <> 'open' ORDER BY at LIMIT ?2"
	anyCall    = "SELECT id FROM call INDEXED BY call_hour WHERE at / 3600000 < ?1 / 3600000 AND state <> 'open' ORDER BY at / 3600000, id LIMIT ?2"
	anyVersion = "SELECT -id FROM version WHERE seen < ?1 ORDER BY seen LIMIT ?2"

	textsAndVersions = `SELECT id FROM (
	SELECT * FROM (SELECT id, at FROM call INDEXED BY call_texts WHERE texts = 1 AND at < ?1 AND state <> 'open' ORDER BY at LIMIT ?2)
	UNION ALL
	SELECT * FROM (SELECT -id AS id, seen AS at FROM version WHERE seen < ?1 AND EXISTS (SELECT 1 FROM version AS newer
		WHERE newer.graph = version.graph AND newer.page = version.page AND newer.id > version.id) ORDER BY seen LIMIT ?2)
	) ORDER BY at LIMIT ?2`
)

// shrink removes what a removal finds, again and again, while the file is larger than it
// may be.
func (m *maintenance) shrink(ctx context.Context, oldest removal, most int64) error {
	for {
		used, err := m.used()
		if err != nil || used <= most {
			return err
		}
		if removed, err := m.remove(ctx, oldest); err != nil || removed.Calls+removed.Versions == 0 {
			return err
		}
	}
}

// used returns how many bytes of the file hold something.
func (m *maintenance) used() (int64, error) {
	return number(m.conn, `SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`)
}

// giveBack returns free pages to the file system, and empties the log.
func (m *maintenance) giveBack(ctx context.Context) error {
	for {
		free, err := number(m.conn, "PRAGMA freelist_count")
		if err != nil {
			return err
		}
		if free == 0 {
			_, err := m.emptyLog()
			return err
		}
		if err := run(m.conn, "PRAGMA incremental_vacuum(100)"); err != nil {
			return err
		}
		left, err := number(m.conn, "PRAGMA freelist_count")
		if err != nil || left >= free { // the file can't give any back
			return err
		}
		if err := pause(ctx, longestStep); err != nil {
			return err
		}
	}
}

// vacuumSeldom writes the file anew where that was not done for a week and nobody is
// writing. Until then, copies of what was removed may be left in it, which SQLite made
// when it moved rows between pages.
func (m *maintenance) vacuumSeldom(ctx context.Context, now time.Time) error {
	last, err := text(m.conn, "SELECT value FROM meta WHERE name = ?1", vacuumedName)
	if err != nil {
		return err
	}
	vacuumed, _ := strconv.ParseInt(last, 10, 64) // 0: never
	newest, err := number(m.conn, "SELECT ifnull(max(at, ifnull(done, 0)), 0) FROM call WHERE id = (SELECT max(id) FROM call)")
	if err != nil || now.Sub(time.UnixMilli(vacuumed)) < vacuumEvery || now.Sub(time.UnixMilli(newest)) < quiet {
		return err
	}
	if err := m.vacuum(ctx, now); err != nil {
		return err
	}
	_, err = m.emptyLog()
	return err
}

// bytes returns the size of the journal's files, and of damaged ones that were moved
// aside.
func (j *shared) bytes() (bytes int64) {
	for _, prefix := range []string{"journal.db", "journal.damaged-"} {
		for _, path := range j.filesLike(prefix) {
			if info, err := os.Lstat(path); err == nil {
				bytes += info.Size()
			}
		}
	}
	return bytes
}

// filesLike returns the paths of what is in the folder under names that begin so.
func (j *shared) filesLike(prefix string) (paths []string) {
	entries, _ := os.ReadDir(j.options.Folder) // none where it can't be read
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			paths = append(paths, filepath.Join(j.options.Folder, entry.Name()))
		}
	}
	return paths
}
