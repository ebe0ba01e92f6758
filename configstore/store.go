// Package configstore keeps ~/.roam-mcp.json: the graphs, their tokens and
// nicknames.
//
// It promises that the file is replaced atomically, that an update which was reported
// is on disk, that concurrent processes lose none of each other's updates, that a bad
// entry hides no good one, and that unknown fields and their order are kept. A file
// that can't be understood is never overwritten. It does not know where the file
// should be, how tokens are obtained, or whether one still works.
package configstore

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"time"

	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

const defaultLockTimeout = 10 * time.Second

// Store is one configuration file. Its methods may be called from any number of
// goroutines and processes at once. All errors are *problem.Error.
type Store struct {
	path        string
	lockTimeout time.Duration
	// cached is a pointer, so that printing a Store prints no tokens.
	cached *cachedConfig
}

// cachedConfig is the Config of the file's last valid content. Every access looks at the
// file, but reads it only if it may have changed, and parses it only if it has.
type cachedConfig struct {
	mu     sync.Mutex
	config Config
	sum    digest
	state  files.State
}

// copied returns the Config with copies of its lists, which the caller may change.
func (c *cachedConfig) copied() (Config, digest) {
	out := c.config
	out.Entries, out.WithoutToken, out.Problems = slices.Clone(out.Entries), slices.Clone(out.WithoutToken), slices.Clone(out.Problems)
	return out, c.sum
}

// unchanged returns the Config if the file at path is still as it was read.
func (c *cachedConfig) unchanged(path string) (Config, digest, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.state.IsOf(path) {
		return Config{}, digest{}, false
	}
	config, sum := c.copied()
	return config, sum, true
}

// Option changes how a Store works.
type Option func(*Store)

// WithLockTimeout bounds how long a write waits for the lock; the default is 10 s. An
// earlier deadline of the context counts too.
func WithLockTimeout(d time.Duration) Option {
	return func(s *Store) { s.lockTimeout = d }
}

// New returns a Store for the file at path, which need not exist. A symbolic link is
// followed on every access, and never replaced.
func New(path string, opts ...Option) *Store {
	s := &Store{path: path, lockTimeout: defaultLockTimeout, cached: &cachedConfig{}}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// Path returns the path given to New.
func (s *Store) Path() string { return s.path }

// Load reads the file. It needs no lock, since the file is replaced atomically. For a
// missing file it returns an empty Config with Exists false. The error's code is
// CONFIG_INVALID, CONFIG_TOO_NEW or CONFIG_UNREADABLE; with the first two, the Config
// has the problem CONFIG_MODE_OPEN where that is so, and nothing else.
func (s *Store) Load(ctx context.Context) (Config, error) {
	if err := ctx.Err(); err != nil {
		return Config{}, interrupted(s.path, err)
	}
	c, _, err := s.read()
	return c, err
}

// digest is a hash of the file's content and mode.
type digest [sha256.Size]byte

func (s *Store) read() (Config, digest, error) {
	if c, sum, ok := s.cached.unchanged(s.path); ok {
		return c, sum, nil
	}
	text, state, err := readFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{Version: Version}, digest{}, nil
	}
	if err != nil {
		return Config{}, digest{}, err
	}
	mode := state.Info.Mode()
	sum := sha256.Sum256(append(text[:len(text):len(text)], mode.String()...))
	last := s.cached
	last.mu.Lock()
	defer last.mu.Unlock()
	if sum != last.sum {
		var ofMode []Problem
		if openToOthers(mode) {
			ofMode = []Problem{modeProblem(s.path, mode)}
		}
		d, err := parseDocument(s.path, text)
		if err != nil {
			return Config{Version: Version, Exists: true, Problems: ofMode}, sum, err
		}
		c, _ := d.config()
		c.Problems = append(c.Problems, ofMode...)
		last.config, last.sum = c, sum
	}
	last.state = state
	c, _ := last.copied()
	return c, sum, nil
}

// openToOthers reports whether a mode gives rights to anybody but the owner. On
// Windows the mode does not say.
func openToOthers(mode fs.FileMode) bool {
	return runtime.GOOS != "windows" && mode.Perm()&0o077 != 0
}

func modeProblem(path string, mode fs.FileMode) Problem {
	return Problem{
		Code:    CodeConfigModeOpen,
		Message: fmt.Sprintf("Other users of this machine can read or change %s, which holds tokens (mode %03o).", path, mode.Perm()),
		Hint:    problem.Say("Close it: %s", problem.CommandLine{"chmod", "600", path}),
		Index:   -1,
	}
}

// readFile reads a file of bounded size. The error for a missing file, or a link to
// one, is fs.ErrNotExist; all others are *problem.Error.
func readFile(path string) ([]byte, files.State, error) {
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, files.State{}, fs.ErrNotExist
	}
	if err != nil {
		return nil, files.State{}, unreadable(path, err)
	}
	defer func() { _ = f.Close() }()
	state, err := files.StateOf(f)
	if err != nil {
		return nil, files.State{}, unreadable(path, err)
	}
	text, err := files.ReadOpened(f, maxFileSize)
	if large := (*files.TooLargeError)(nil); errors.As(err, &large) {
		return nil, files.State{}, &problem.Error{
			Code:    CodeConfigInvalid,
			Message: fmt.Sprintf("%s is larger than %d MB.", path, maxFileSize>>20),
			Hint:    problem.Say("This is hardly a file of roam-mcp: choose another one with --config."),
			Place:   &problem.Place{Path: path},
		}
	}
	if err != nil {
		return nil, files.State{}, unreadable(path, err)
	}
	return text, state, nil
}

// interrupted returns the error for a context that ended before anything was done.
func interrupted(path string, err error) error {
	code, what := localapi.CodeCancelled, "The access to %s was cancelled."
	if errors.Is(err, context.DeadlineExceeded) {
		code, what = localapi.CodeTimeout, "There was no time left for the access to %s."
	}
	return &problem.Error{Code: code, Message: fmt.Sprintf(what, path), Hint: problem.Say("Nothing was changed; try again."), Place: &problem.Place{Path: path}, Err: err}
}
