package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"zombiezen.com/go/sqlite"
)

// longestCheck is how long an unclean file is looked through for damage.
const longestCheck = 50 * time.Millisecond

// quickCheck looks for damage, for as long as longestCheck. What it has not looked at by
// then counts as whole.
func quickCheck(conn *sqlite.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), longestCheck)
	defer cancel()
	conn.SetInterrupt(ctx.Done())
	defer conn.SetInterrupt(nil)
	found, err := text(conn, "PRAGMA quick_check(1)")
	switch {
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultInterrupt:
		return nil
	case err == nil && found != "ok":
		return damageError{found}
	}
	return err
}

// replaceDamaged moves the file aside that j.w turned out to be, unless another process
// has done so.
func (j *writer) replaceDamaged(ctx context.Context) error {
	damaged := j.w
	if err := j.closeWriting(); err != nil {
		j.options.Log.Warn("the damaged journal can't be closed", "error", err)
	}
	release, err := j.lockOpening(ctx)
	if err != nil {
		return err
	}
	defer release()
	if damaged.replaced(j.path()) {
		return nil
	}
	return j.setAside(ctx)
}

// damagedName is that of a damaged journal, with the date and a number from the second
// of a day on.
func damagedName(day time.Time, n int) string {
	name := "journal.damaged-" + day.Format(time.DateOnly)
	if n > 1 {
		name += fmt.Sprintf("-%d", n)
	}
	return name + ".db"
}

// setAside moves a damaged database away, its log first: a log that were left would be
// taken for that of the next file. Windows moves no file that is open.
func (j *writer) setAside(ctx context.Context) error {
	if err := j.reader.reading.enter(ctx); err != nil {
		return err
	}
	if err := j.reader.closeReading(); err != nil {
		j.options.Log.Warn("the damaged journal can't be closed", "error", err)
	}
	j.reader.reading.leave()
	for n := 1; ; n++ {
		name := damagedName(j.options.Now(), n)
		target := filepath.Join(j.options.Folder, name)
		if _, err := os.Lstat(target); err == nil {
			continue
		}
		if err := os.Remove(j.path() + "-shm"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, suffix := range []string{"-wal", "-journal", ""} {
			if err := os.Rename(j.path()+suffix, target+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		j.note(CodeDamaged, name)
		return nil
	}
}
