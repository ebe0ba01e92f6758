package files

import (
	"io/fs"
	"os"
	"time"
)

// coarsestClock is how long after its modification a file may change again and keep the
// modification time, on a file system with a coarse clock.
const coarsestClock = 2 * time.Second

// State is what a file was when it was read. The zero State is that of no file.
type State struct {
	Info fs.FileInfo
	at   time.Time
}

// StateOf returns the state of an open file that is read next.
func StateOf(file *os.File) (State, error) {
	at := time.Now()
	info, err := file.Stat()
	return State{info, at}, err
}

// IsOf reports whether the file at path has not changed since, so that it need not be read
// again: whether its identity, size, mode and modification time are the same, and a change
// would have given it another one.
func (s State) IsOf(path string) bool {
	if s.Info == nil || s.at.Sub(s.Info.ModTime()) <= coarsestClock {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, s.Info) && now.Size() == s.Info.Size() &&
		now.Mode() == s.Info.Mode() && now.ModTime().Equal(s.Info.ModTime())
}
