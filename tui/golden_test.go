package tui

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/exchange"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/race"
)

// scenes are all screens that have golden files; a new screen is entered in one
// of these tables and nowhere else.
func scenes() map[string]scene {
	all := make(map[string]scene)
	for _, table := range []map[string]scene{
		listScenes(), formScenes(), awaitedScenes(), flowScenes(), stateScenes(), askingScenes(), queueScenes(), wayScenes(), servingScenes(), graphScenes(), textsScenes(), historyScenes(), clientsScenes(), doctorScenes(),
	} {
		maps.Copy(all, table)
	}
	return all
}

// goldenSizes are the smallest terminal, the usual one, and one with room for
// two things side by side. The history, which has more columns the more room there is,
// is looked at in one between as well, and the lists of graphs and of clients, which have
// details beside them then, in that and a large one.
func goldenSizes(name string) [][2]int {
	sizes := [][2]int{{minWidth, minHeight}, {80, 24}, {140, 40}}
	if strings.HasPrefix(name, "graphs") || strings.HasPrefix(name, "clients") || name == "rename" || name == "remove" {
		sizes = append(sizes, [2]int{110, 32}, [2]int{160, 50})
	}
	if strings.HasPrefix(name, "history") {
		sizes = append(sizes, [2]int{120, 40})
	}
	return sizes
}

func goldenName(name string, width, height int) string {
	return fmt.Sprintf("%s-%dx%d", name, width, height)
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
	all := scenes()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if race.Enabled && i%3 != 0 {
			continue
		}
		scene := all[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, scene(t, width, height))
		})
	}
}

// TestGolden compares each screen with its two files: the plain text, and the bytes
// with their colours.
func TestGolden(t *testing.T) {
	if race.Enabled {
		t.Skip("TestEveryScreen draws them")
	}
	var files []string
	for name := range scenes() {
		for _, size := range goldenSizes(name) {
			name := goldenName(name, size[0], size[1])
			files = append(files, name+".golden", name+"-colour.golden")
		}
	}
	golden.Only(t, "testdata", ".golden", files)
	for name, scene := range scenes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, size := range goldenSizes(name) {
				h := scene(t, size[0], size[1])
				path := filepath.Join("testdata", goldenName(name, size[0], size[1]))
				golden.File(t, path+".golden", h.screen())
				golden.File(t, path+"-colour.golden", h.root.View().Content+"\n")
			}
		})
	}
}
