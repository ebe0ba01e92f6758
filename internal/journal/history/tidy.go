package history

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// What Journal.Tidy keeps whatever Options.Keep says, and for how long (JOURNAL.md, Size
// and time).
const (
	day        = 24 * time.Hour
	alwaysKept = day       // texts
	linesKept  = 365 * day // calls without texts
)

// lookName is a row of meta: when Tidy looked at how old things are, in milliseconds as text.
const lookName = "look"

// Tidy removes the texts of calls and the versions that are older than Options.Keep.Days,
// and the oldest ones where the file is larger than Options.Keep.Megabytes (of 2^20
// bytes), the newest version of each page last.
// Calls without texts stay for a year, or until the texts of the last day alone are too
// large. Calls and versions of the last 24 hours and open calls stay as they are.
//
// A clock may be wrong. So a thing is only as old as it was at an earlier look, at least a
// day ago, and no older than what was recorded before it. Where more than a tenth of the
// journal goes at once, a notice says so.
//
// Writers wait while it writes the file anew, where it has removed something. It does nothing
// where another process is tidying or purging.
func (j *remover) Tidy(ctx context.Context) error {
	release, ok, err := j.Exclusive(ctx, "purge", 0)
	if err != nil || !ok {
		return err
	}
	defer release()
	err = j.maintain(ctx, func(m *maintenance) error {
		return m.tidy(ctx, j.options.Now(), j.options.Keep.Days, int64(j.options.Keep.Megabytes)<<20)
	})
	return j.explain(ctx, err)
}

// tidy removes texts that are older than so many days, and the oldest while the file has more
// than so many bytes.
func (m *maintenance) tidy(ctx context.Context, now time.Time, days int, most int64) error {
	all, err := number(m.conn, "SELECT (SELECT count(*) FROM call) + (SELECT count(*) FROM version)")
	if err != nil {
		return err
	}
	gone, err := m.removeOld(ctx, now, max(alwaysKept, time.Duration(days)*day))
	if err != nil {
		return err
	}
	for _, oldest := range []removal{{query: textsAndVersions}, {query: anyVersion}, {query: anyCall, lines: true}} {
		more, err := m.shrink(ctx, oldest, now, most)
		if err != nil {
			return err
		}
		gone += more
	}
	if err := m.removeUnused(ctx); err != nil {
		return err
	}
	if gone*10 > all {
		err := m.transact(ctx, func() error { return putNote(m.conn, event{CodeForgotten, fmt.Sprintf("%d of %d", gone, all)}) })
		if err != nil {
			return err
		}
	}
	_, err = m.finish(ctx)
	return err
}

// removeOld removes what was too old at the look before, if that was at least a day ago, and
// notes this look in its place. It returns how many calls and versions went, or lost their texts.
func (m *maintenance) removeOld(ctx context.Context, now time.Time, keep time.Duration) (gone int64, err error) {
	noted, err := text(m.conn, "SELECT value FROM meta WHERE name = ?1", lookName)
	if err != nil {
		return 0, err
	}
	milliseconds, _ := strconv.ParseInt(noted, 10, 64) // 0 without a look, when nothing was old
	look := time.UnixMilli(milliseconds)
	if age := now.Sub(look); age >= 0 && age < day {
		return 0, nil
	}
	if !look.After(now) { // else the clock was wrong then, or is now
		for _, old := range []removal{{query: withTexts}, {query: anyVersion}, {query: anyCall, lines: true}} {
			before := look.Add(-keep)
			if old.lines {
				before = look.Add(-linesKept)
			}
			old.args = []any{before.UnixMilli(), now.UnixMilli(), -1}
			removed, err := m.remove(ctx, old)
			if err != nil {
				return gone, err
			}
			gone += int64(removed.Calls + removed.Versions)
		}
	}
	return gone, m.transact(ctx, func() error { return m.put(lookName, strconv.FormatInt(now.UnixMilli(), 10)) })
}

// Queries for the oldest calls that are not open and the oldest versions, at most ?3, which are
// from before ?1, and were recorded before all that is from between ?1 and now, ?2: what was
// recorded by a clock that was set back is no older than what was recorded before it. The last
// one finds what the first does, and the versions that are not the newest of their page.
const (
	withTexts  = "SELECT id FROM call WHERE texts = 1 AND state <> 'open' AND " + oldCall + " ORDER BY id LIMIT ?3"
	anyCall    = "SELECT id FROM call WHERE state <> 'open' AND " + oldCall + " ORDER BY id LIMIT ?3"
	anyVersion = "SELECT -id FROM version WHERE " + oldVersion + " ORDER BY id LIMIT ?3"

	oldCall    = "at < ?1 AND id < ifnull((SELECT min(id) FROM call WHERE at BETWEEN ?1 AND ?2), 1 << 62)"
	oldVersion = "seen < ?1 AND id < ifnull((SELECT min(id) FROM version WHERE seen BETWEEN ?1 AND ?2), 1 << 62)"

	textsAndVersions = `SELECT id FROM (
	SELECT * FROM (SELECT id, at FROM call WHERE texts = 1 AND state <> 'open' AND ` + oldCall + ` ORDER BY id LIMIT ?3)
	UNION ALL
	SELECT * FROM (SELECT -id AS id, seen AS at FROM version WHERE ` + oldVersion + ` AND EXISTS (SELECT 1 FROM version AS newer
		WHERE newer.graph = version.graph AND newer.page = version.page AND newer.id > version.id) ORDER BY version.id LIMIT ?3)
	) ORDER BY at LIMIT ?3`
)

// shrink removes what a removal finds where the file is larger than it may be, until a tenth of
// that is free. It returns how many calls and versions went, or lost their texts.
func (m *maintenance) shrink(ctx context.Context, oldest removal, now time.Time, most int64) (gone int64, err error) {
	oldest.args = []any{now.Add(-alwaysKept).UnixMilli(), now.UnixMilli(), mostAtOnce}
	for target := most; ; target = most / 10 * 9 {
		used, err := number(m.conn, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size")
		if err != nil || used <= target {
			return gone, err
		}
		removed, err := m.remove(ctx, oldest)
		if err != nil || removed.Calls+removed.Versions == 0 {
			return gone, err
		}
		gone += int64(removed.Calls + removed.Versions)
	}
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
