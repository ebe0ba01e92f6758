package observed

import (
	"encoding/json"
	"fmt"
)

// Verdict is the result of comparing a finding with a Belief.
type Verdict string

// The values of Verdict.
const (
	Same   Verdict = "="
	Differ Verdict = "≠"
	Untold Verdict = "?" // it was not tried, or nobody can tell
)

// Check is what a probe found of one Belief.
type Check struct {
	ID       string          `json:"id"`
	Expected string          `json:"expected"`
	Found    string          `json:"found"` // empty where Verdict is Untold
	Verdict  Verdict         `json:"verdict"`
	MS       int64           `json:"ms"`
	Request  json.RawMessage `json:"request,omitempty"` // of what decided it, where it is otherwise
	Reply    json.RawMessage `json:"reply,omitempty"`
}

// File is what a probe of one Roam found. It has no token, no name of a graph, no user,
// and no text that the probe did not write.
type File struct {
	Probe      string  `json:"probe"` // version of roam-mcp
	APIVersion string  `json:"apiVersion"`
	GraphType  string  `json:"graphType"` // hosted or offline
	Encrypted  *bool   `json:"encrypted"` // null where Roam does not say
	System     string  `json:"system"`    // such as "darwin/arm64"
	Checks     []Check `json:"checks"`
	Cleaned    bool    `json:"cleaned"` // whether all that the probe made is gone
}

// maxFile bounds a file, in bytes.
const maxFile = 4 << 20

// Parse reads a file. Unknown fields and ids are kept out of the way: a newer probe may
// have more.
func Parse(text []byte) (File, error) {
	if len(text) > maxFile {
		return File{}, fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	var file File
	if err := json.Unmarshal(text, &file); err != nil {
		return File{}, fmt.Errorf("it is not the JSON of a probe: %w", err)
	}
	if len(file.Checks) == 0 {
		return File{}, fmt.Errorf("it is not the JSON of a probe: it has no checks")
	}
	return file, nil
}
