// Package conformance has Roams that may be, against which tests run.
package conformance

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"roam-mcp/internal/observed"
)

//go:embed profiles/*.json
var profiles embed.FS

// Profile is a Roam that may be.
type Profile struct {
	Name string // "as-documented", "commonmark" or "adverse"
	File observed.File
}

// Profiles lists the conformance profiles by name: Roam as docs/dev/LOCAL_API.md has it, one
// whose importer reads markdown as CommonMark has it, and one that is unkind in many ways.
func Profiles() ([]Profile, error) {
	entries, err := profiles.ReadDir("profiles")
	if err != nil {
		return nil, err
	}
	var list []Profile
	for _, entry := range entries {
		text, err := profiles.ReadFile(path.Join("profiles", entry.Name()))
		if err != nil {
			return nil, err
		}
		file, err := observed.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		list = append(list, Profile{strings.TrimSuffix(entry.Name(), ".json"), file})
	}
	return list, nil
}
