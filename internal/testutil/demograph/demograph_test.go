package demograph

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheGraphIsTheOneOfTheDesign(t *testing.T) {
	path := filepath.Join("..", "..", "..", "..", "shared", "data", "demo-profiles.json")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("the design's graph is not here: %v", err)
	}
	if JSON != string(want) {
		t.Errorf("the graph differs from %s", path)
	}
}
