package tui

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/exchange"
)

var update = flag.Bool("update", false, "write the golden files anew")

// scenes are all screens that have golden files; a new screen is entered in one
// of these tables and nowhere else.
func scenes() map[string]scene {
	all := make(map[string]scene)
	for _, table := range []map[string]scene{
		listScenes(), formScenes(), awaitedScenes(), flowScenes(), stateScenes(), askingScenes(), queueScenes(), servingScenes(), graphScenes(),
	} {
		maps.Copy(all, table)
	}
	return all
}

// goldenSizes are the smallest terminal, the usual one, and one with room for
// two things side by side.
func goldenSizes() [][2]int { return [][2]int{{minWidth, minHeight}, {80, 24}, {140, 40}} }

func goldenName(name string, width, height int) string {
	return fmt.Sprintf("%s-%dx%d", name, width, height)
}

// golden compares the screen with its two files: the plain text, and the bytes
// with their colours.
func golden(t *testing.T, h *harness, name string) {
	t.Helper()
	width, height := h.root.size()
	name = goldenName(name, width, height)
	goldenFile(t, name, h.screen())
	goldenFile(t, name+"-colour", h.root.View().Content+"\n")
}

func goldenFile(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if strings.ReplaceAll(string(want), "\r\n", "\n") != got {
		t.Errorf("%s has changed; if that is meant, run the test with -update. The screen is\n%s", path, got)
	}
}

// stateScenes are the states of an exchange.
func stateScenes() map[string]scene {
	all := make(map[string]scene)
	for state, change := range exchangeScenes() {
		all[stateName(state)] = inState(change)
	}
	return all
}

func stateName(state exchange.State) string {
	return "asking-" + strings.NewReplacer(" ", "-", "'", "").Replace(state.String())
}

// inEveryScene leads to each screen in a terminal of that size, and checks it.
func inEveryScene(t *testing.T, width, height int, check func(*testing.T, *harness)) {
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, scene(t, width, height))
		})
	}
}

func TestEveryScreenLooksAsItShould(t *testing.T) {
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range goldenSizes() {
				golden(t, scene(t, size[0], size[1]), name)
			}
		})
	}
}

func TestEveryGoldenFileBelongsToAScreen(t *testing.T) {
	var want []string
	for name := range scenes() {
		for _, size := range goldenSizes() {
			name := goldenName(name, size[0], size[1])
			want = append(want, name+".golden", name+"-colour.golden")
		}
	}
	files, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if slices.Contains(want, file.Name()) || filepath.Ext(file.Name()) != ".golden" {
			continue
		}
		if !*update {
			t.Errorf("testdata/%s belongs to no screen; remove it, or run the test with -update", file.Name())
		} else if err := os.Remove(filepath.Join("testdata", file.Name())); err != nil {
			t.Error(err)
		}
	}
}
