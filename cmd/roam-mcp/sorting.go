package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"roam-mcp/atomicfile"
	"roam-mcp/internal/regularfile"
)

// maxSorting is the most that the file of sorting is read of, in bytes.
const maxSorting = 1 << 10

// sorting is the file that holds by which column the setup program's list of graphs was
// sorted last, as one line. It can be deleted at any time.
type sorting struct{ path string }

// read returns the column, or "" where the file can't be read.
func (s sorting) read() string {
	data, err := regularfile.ReadOwn(s.path, maxSorting)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// keep writes the column. Where that fails the list is as it was the next time, which is
// not worth an exit code.
func (s sorting) keep(column string, log *slog.Logger) {
	err := os.MkdirAll(filepath.Dir(s.path), 0o700)
	if err == nil {
		err = atomicfile.Write(s.path, []byte(column+"\n"))
	}
	if err != nil {
		log.Warn("the order of the list is not kept", "error", err)
	}
}
