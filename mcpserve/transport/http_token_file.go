package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"roam-mcp/internal/files"
	"roam-mcp/internal/problem"
)

// CodeTokenFile is the code of a token file that can't be read, written or trusted.
const CodeTokenFile problem.Code = "HTTP_TOKEN_FILE"

const (
	lockPatience   = 10 * time.Second
	lockRetry      = 20 * time.Millisecond
	mostTokenBytes = 1024
)

// LoadOrCreateToken reads the secret in a file that only this user can read, or
// makes one and the file where there is none; its folder too. Of several
// programs that do so at once, one makes it and all get it. Errors are
// *problem.Error with CodeFile; they never hold the secret.
func LoadOrCreateToken(ctx context.Context, path string) (Token, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Token{}, unusable(path, err)
	}
	waiting, cancel := context.WithTimeout(ctx, lockPatience)
	defer cancel()
	lock, err := files.Lock(path + ".lock")
	if err != nil {
		return Token{}, unusable(path, err)
	}
	if _, err := lock.TryLockContext(waiting, lockRetry); err != nil {
		return Token{}, unusable(path, err)
	}
	defer func() { _ = lock.Unlock() }()
	token, err := loadToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	token = NewToken()
	if err := files.ReplaceAtomically(path, []byte(token.Reveal()+"\n")); err != nil {
		return Token{}, unusable(path, err)
	}
	return token, nil
}

func loadToken(path string) (Token, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Token{}, unusable(path, err)
	}
	switch {
	case !info.Mode().IsRegular() || info.Size() > mostTokenBytes:
		return Token{}, notOurs(path, nil)
	case files.HasOtherOwner(info): // root may read it, and its owner knows it
		return Token{}, &problem.Error{
			Code:    CodeTokenFile,
			Message: fmt.Sprintf("%s belongs to another user, who knows its token.", path),
			Hint:    problem.Say("Start roam-mcp as that user. If the file should be yours, delete it; the next start makes a new token, which the MCP clients then need."),
		}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return Token{}, &problem.Error{
			Code:    CodeTokenFile,
			Message: fmt.Sprintf("Other users of this computer can read %s, so its token is not safe.", path),
			Hint:    problem.Say("Delete the file; the next start makes a new token, which the MCP clients then need."),
		}
	}
	text, err := files.ReadOwn(path, mostTokenBytes)
	if err != nil {
		return Token{}, unusable(path, err)
	}
	token, err := ParseToken(string(text))
	if err != nil {
		return Token{}, notOurs(path, err)
	}
	return token, nil
}

func notOurs(path string, err error) error {
	return &problem.Error{
		Code:    CodeTokenFile,
		Message: fmt.Sprintf("%s holds no token of roam-mcp's HTTP endpoint.", path),
		Hint:    problem.Say("Move it away; the next start makes a new one."),
		Err:     err,
	}
}

func unusable(path string, err error) error {
	return &problem.Error{
		Code:    CodeTokenFile,
		Message: fmt.Sprintf("The token file %s can't be used: %v.", path, err),
		Hint:    problem.Say("Check the rights of the file and of its folder."),
		Err:     err,
	}
}
