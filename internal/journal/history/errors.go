package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"syscall"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/problem"
)

// Why the journal can't be used, beside what SQLite and the operating system say.
var (
	errForeign  = errors.New("it is a database of another program")
	errReplaced = errors.New("it was deleted or moved away while it was written to")
	errOpening  = errors.New("other processes have been opening it all the time")
)

// placeError reports a path that can't be used as it is.
type placeError struct{ path, is string }

func (e placeError) Error() string { return e.path + " " + e.is }

// tooNewError reports a schema of a later version of the program.
type tooNewError struct{ version int64 }

func (e tooNewError) Error() string {
	return fmt.Sprintf("its format is %d, and this version knows %d", e.version, schemaVersion)
}

// damageError reports what a check has found.
type damageError struct{ found string }

func (e damageError) Error() string { return "it is damaged: " + e.found }

// isDamage reports whether the file is not what SQLite has written.
func isDamage(err error) bool {
	if _, ok := errors.AsType[damageError](err); ok {
		return true
	}
	code := sqlite.ErrCode(err).ToPrimary()
	return err != nil && (code == sqlite.ResultCorrupt || code == sqlite.ResultNotADB)
}

// isBusy reports whether another process held a lock for too long.
func isBusy(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return err != nil && (code == sqlite.ResultBusy || code == sqlite.ResultLocked)
}

// isFull reports whether there was no room. A quota that is used up and a limit on the
// size of files are I/O errors to SQLite.
func isFull(err error) bool {
	code := sqlite.ErrCode(err)
	const windowsDiskFull = syscall.Errno(112)
	return err != nil && (code.ToPrimary() == sqlite.ResultFull || code == sqlite.ResultIOErrWrite ||
		errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) ||
		runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull))
}

// explain returns an error as a *problem.Error that says what a person can do. Those
// that are one already, ErrLookAgain and the end of the context stay as they are.
func (j *shared) explain(ctx context.Context, err error) error {
	if _, ok := problem.As(err); err == nil || ok || errors.Is(err, ErrLookAgain) {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("the journal was not waited for: %w", ctx.Err())
	}
	e := &problem.Error{Code: CodeUnavailable, Retry: problem.RetryLater, Err: err}
	path := j.path()
	var (
		newer tooNewError
		place placeError
	)
	switch {
	case errors.As(err, &newer):
		e.Code, e.Retry = CodeTooNew, problem.RetryNever
		e.Message = fmt.Sprintf("The journal %s was written by a newer version of roam-mcp: %v.", path, newer)
		e.Hint = problem.Say("Update roam-mcp, and start it again.")
	case isDamage(err):
		e.Message = fmt.Sprintf("The journal %s is damaged: %s.", path, said(err))
		e.Hint = problem.Say("The next change that an agent makes moves the file aside and begins a new one.")
	case isFull(err):
		e.Message = fmt.Sprintf("There is no room on the disk for the journal %s.", path)
		e.Hint = problem.Say("Make room on that disk, then try again.")
	case isBusy(err) || errors.Is(err, errOpening):
		holder := cmp.Or(readHolder(j.options.Folder), "another program")
		e.Message = fmt.Sprintf("The journal %s has been locked by %s for more than %.0f seconds.", path, holder, j.options.Wait.Seconds())
		e.Hint = problem.Say("Try again. If it stays so, look what that process does, or end it.")
	case errors.As(err, &place):
		e.Message = fmt.Sprintf("The journal can't be used: %s %s.", place.path, place.is)
		e.Hint = problem.Say("Put a folder or file of your own in its place, or move it away.")
	case errors.Is(err, errForeign):
		e.Message = fmt.Sprintf("%s is no journal: %v.", path, errForeign)
		e.Hint = problem.Say("Move that file away.")
	default:
		e.Message = fmt.Sprintf("The journal %s can't be used: %s.", path, said(err))
		e.Hint = problem.Say("Check that its folder is there and that you may write in it.")
	}
	return e
}

// said returns the first line of an error's text. Errors of SQLite name statements and
// columns, never values.
func said(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return strings.TrimSuffix(first, ".")
}
