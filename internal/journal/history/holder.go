package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"roam-mcp/internal/files"
)

// holderFile says which process holds the database's write lock, since SQLite can't.
type holderFile struct{ file *os.File }

// holderSize is that of the file, in bytes: a line, padded with spaces.
const holderSize = 64

func holderPath(folder string) string { return filepath.Join(folder, "holder") }

// openHolder fails where the folder can't be written, and says so better than SQLite.
func openHolder(folder string) (*holderFile, error) {
	file, err := files.Update(holderPath(folder))
	return &holderFile{file}, err
}

// hold says that this process has the lock.
func (h *holderFile) hold(server *self) {
	holder := fmt.Sprintf("process %d", os.Getpid())
	if server != nil {
		holder = fmt.Sprintf("server %d (process %d)", server.id, os.Getpid())
	}
	h.write(holder)
}

// free says that nobody has it. It is to be called before the lock is freed.
func (h *holderFile) free() { h.write("") }

func (h *holderFile) write(holder string) {
	_, _ = h.file.WriteAt(fmt.Appendf(nil, "%-*s\n", holderSize-1, holder), 0)
}

func (h *holderFile) close() {
	_ = h.file.Close()
}

// readHolder returns who holds the lock, empty where that is not known.
func readHolder(folder string) string {
	line, err := files.ReadOwn(holderPath(folder), holderSize)
	if err != nil {
		return ""
	}
	return parseHolder(line)
}

// parseHolder returns the holder that a line names. What no process of ours would have
// written names nobody.
func parseHolder(line []byte) string {
	var server, process int64
	said := strings.TrimSpace(string(line))
	if _, err := fmt.Sscanf(said, "server %d (process %d)", &server, &process); err == nil && said == fmt.Sprintf("server %d (process %d)", server, process) {
		return said
	}
	if _, err := fmt.Sscanf(said, "process %d", &process); err == nil && said == fmt.Sprintf("process %d", process) {
		return said
	}
	return ""
}
