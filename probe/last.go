package probe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"roam-mcp/internal/files"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/observed"
)

// maxLast bounds the file of the last result, in bytes.
const maxLast = 4 << 20

// Last is the latest result of a graph.
type Last struct {
	At   time.Time     `json:"at"`
	File observed.File `json:"file"`
}

func lastPath(folder string, graph localapi.Graph) string {
	return filepath.Join(folder, "last-"+string(graph.Type)+"-"+graph.Name+".json")
}

// SaveLast keeps a result as the latest one of a graph.
func SaveLast(folder string, graph localapi.Graph, last Last) error {
	data, err := json.MarshalIndent(last, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return files.ReplaceAtomically(lastPath(folder, graph), append(data, '\n'))
}

// ReadLast returns the latest result of a graph; false where there is none.
func ReadLast(folder string, graph localapi.Graph) (last Last, there bool) {
	data, err := files.ReadOwn(lastPath(folder, graph), maxLast)
	if err != nil || json.Unmarshal(data, &last) != nil || last.At.IsZero() {
		return Last{}, false
	}
	return last, true
}

// Differing returns the number of answers that differ from what is expected.
func (l Last) Differing() int { return Report{File: l.File}.Count(observed.Differ) }
