package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/files"
)

// othersMode are the bits of a mode that let other users in.
const othersMode fs.FileMode = 0o077

// databaseFiles lists the database and the files that SQLite puts beside it.
func (j *shared) databaseFiles() []string {
	path := j.path()
	return []string{path, path + "-wal", path + "-shm", path + "-journal"}
}

// checkFiles refuses a folder or a file that leads or belongs elsewhere, and takes other
// users' rights from those that let them in.
func (j *shared) checkFiles() error {
	var open []string
	for i, path := range append([]string{j.options.Folder}, j.databaseFiles()...) {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = checkKind(path, info, i == 0)
		}
		if err != nil {
			return err
		}
		if runtime.GOOS == "windows" || info.Mode().Perm()&othersMode == 0 {
			continue
		}
		open = append(open, fmt.Sprintf("%s had mode %04o", filepath.Base(path), info.Mode().Perm()))
		if err := os.Chmod(path, info.Mode().Perm()&^othersMode); err != nil {
			return fmt.Errorf("other users can read it: %w", err)
		}
	}
	if len(open) > 0 {
		j.options.Log.Warn("other users could read the journal until now", "modes", open)
		j.note(CodeModes, strings.Join(open, ", "))
	}
	return nil
}

func checkKind(path string, info fs.FileInfo, folder bool) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return placeError{path, "is a link"}
	case folder && !info.IsDir():
		return placeError{path, "is no folder"}
	case !folder && !info.Mode().IsRegular():
		return placeError{path, "is no regular file"}
	case files.HasOtherOwner(info):
		return placeError{path, "belongs to another user"}
	}
	return nil
}

// makePrivate makes an empty file that only the user can read, unless there is a file.
// SQLite gives the files beside it the same mode.
func makePrivate(path string) error {
	file, err := files.Create(path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// unclean reports whether the last process that wrote did not end as it should: SQLite
// left a log behind, and nobody uses it.
func (j *shared) unclean() bool {
	for _, path := range []string{j.path() + "-wal", j.path() + "-journal"} {
		if info, err := os.Lstat(path); err == nil && info.Size() > 0 {
			return !j.anyAlive()
		}
	}
	return false
}

// fillerSize is that of the file which is given up for outcomes where the disk is full.
const fillerSize = 4 << 20

func (j *shared) filler() string { return filepath.Join(j.options.Folder, "filler") }

// makeFiller makes the filler unless it stands. Its bytes are random, since a file
// system may not store others.
func (j *shared) makeFiller() error {
	if info, err := os.Lstat(j.filler()); err == nil && info.Mode().IsRegular() && info.Size() >= fillerSize {
		return nil
	}
	chunk := make([]byte, 64<<10)
	seed := [32]byte{}
	source := rand.NewChaCha8(seed)
	file, err := files.Update(j.filler())
	if err != nil {
		return fmt.Errorf("keep room for outcomes: %w", err)
	}
	for written := 0; err == nil && written < fillerSize; written += len(chunk) {
		_, _ = source.Read(chunk)
		_, err = file.Write(chunk)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(j.filler())
		return fmt.Errorf("keep room for outcomes: %w", err)
	}
	return nil
}

// dropFiller makes room on a full disk, and reports whether it did.
func (j *shared) dropFiller() bool {
	err := os.Remove(j.filler())
	if err == nil {
		j.options.Log.Warn("the disk is full: the room that was kept for outcomes is used")
	}
	return err == nil
}

// inFiller does something that has to be recorded: once more where the disk is full, in the
// room that was kept for it.
func (j *shared) inFiller(do func() error) error {
	err := do()
	if isFull(err) && j.dropFiller() {
		err = do()
	}
	return err
}

// numbers are those that were given, so that no number is given twice where the database
// is put back from a copy, or begins anew.
type numbers struct {
	Servers int64 `json:"servers"` // the newest
	Calls   int64 `json:"calls"`   // the newest, or a little more
}

// callsAhead is by how much numbers.Calls may be above the newest call, so that few
// calls have to write it.
const callsAhead = 16

// mostNumber bounds what is believed of the file of numbers.
const mostNumber = 1 << 50

func (j *shared) numbersPath() string { return filepath.Join(j.options.Folder, "numbers") }

// readNumbers returns zeros where the file is missing or malformed.
func (j *shared) readNumbers() numbers {
	data, err := files.ReadOwn(j.numbersPath(), 200)
	if err != nil {
		return numbers{}
	}
	return parseNumbers(data)
}

func parseNumbers(data []byte) numbers {
	var n numbers
	if json.Unmarshal(data, &n) != nil || min(n.Servers, n.Calls) < 0 || max(n.Servers, n.Calls) > mostNumber {
		return numbers{}
	}
	return n
}

// raiseNumbers writes those that are higher than what the file says. It is to be called
// with the database's write lock. That the file can't be written is no failure.
func (j *shared) raiseNumbers(n numbers) {
	old := j.readNumbers()
	n.Servers, n.Calls = max(n.Servers, old.Servers), max(n.Calls, old.Calls)
	if n == old {
		return
	}
	data, err := json.Marshal(n)
	if err == nil {
		err = files.Overwrite(j.numbersPath(), data)
	}
	if err != nil {
		j.options.Log.Warn("the numbers that were given can't be noted", "error", err)
	}
}

// continueNumbers has the database's numbers go on above those that were given. It
// reports whether the database is older than they are, although it is not new.
func (j *shared) continueNumbers(conn *sqlite.Conn, fresh bool) (restored bool, err error) {
	given := j.readNumbers()
	newest, err := number(conn, "SELECT seq FROM sqlite_sequence WHERE name = 'server'")
	if err != nil || newest >= given.Servers {
		return false, err
	}
	for table, n := range map[string]int64{"server": given.Servers, "call": given.Calls} {
		old, err := number(conn, "SELECT seq FROM sqlite_sequence WHERE name = ?1", table)
		if err == nil && old < n {
			err = run(conn, "DELETE FROM sqlite_sequence WHERE name = ?1", table)
			if err == nil {
				err = run(conn, "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)", table, n)
			}
		}
		if err != nil {
			return false, err
		}
	}
	return !fresh, nil
}
