package files

import (
	"os"
	"path/filepath"
	"strings"
)

// maxLine is the most that the file of a Line is read of, in bytes.
const maxLine = 1 << 10

// Line is the path of a file that remembers one line, and can be deleted at any time.
type Line string

// Read returns the line, or "" where the file can't be read.
func (l Line) Read() string {
	data, err := ReadOwn(string(l), maxLine)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Keep writes the line, and makes the folder of the file where there is none.
func (l Line) Keep(line string) error {
	if err := os.MkdirAll(filepath.Dir(string(l)), 0o700); err != nil {
		return err
	}
	return ReplaceAtomically(string(l), []byte(line+"\n"))
}
