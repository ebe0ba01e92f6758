package textsafe

import "path/filepath"

// ShortPath returns a path with ~ for the home folder that it is in. Other paths stay as they
// are, and so do all where home is empty.
func ShortPath(home, path string) string {
	if below, err := filepath.Rel(home, path); home != "" && err == nil && filepath.IsLocal(below) {
		return filepath.Join("~", below)
	}
	return path
}
