package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roam-mcp/internal/testutil/graphtest"
)

// note is a note of the vault.
type note struct {
	title string
	tags  []string
	lines []string
	links []string // titles, each once
}

// The shape of the vault.
const (
	tagsInAll   = 200
	linesOfEach = 6
	wordsOfLine = 12
	wordsInAll  = 20_000
)

// makeNotes returns notes that link to each other, a few of them much more often than the
// others. The same number gives the same notes.
func makeNotes(count int) []note {
	random := rand.New(rand.NewPCG(13, uint64(count)))
	words := rand.NewZipf(random, 1.1, 20, wordsInAll-1)
	popular := rand.NewZipf(random, 1.3, 8, uint64(count-1))
	notes := make([]note, count)
	for i := range notes {
		n := note{title: titleOf(i)}
		for range random.IntN(3) {
			if tag := fmt.Sprintf("tag%02d", random.IntN(tagsInAll)); !slices.Contains(n.tags, tag) {
				n.tags = append(n.tags, tag)
			}
		}
		for range 1 + random.IntN(2*linesOfEach) {
			var line []string
			for range 1 + random.IntN(2*wordsOfLine) {
				line = append(line, graphtest.Word(int(words.Uint64())))
			}
			if random.IntN(3) == 0 {
				to := titleOf(int(popular.Uint64()))
				line = append(line, "[["+to+"]]")
				if to != n.title && !slices.Contains(n.links, to) {
					n.links = append(n.links, to)
				}
			}
			n.lines = append(n.lines, strings.Join(line, " "))
		}
		notes[i] = n
	}
	return notes
}

func titleOf(i int) string { return fmt.Sprintf("n%05d", i) }

// markdown returns the note as a file. Tags are in the front matter, where all programs
// look for them, and no title is a tag's.
func (n note) markdown() string {
	var out strings.Builder
	if len(n.tags) > 0 {
		fmt.Fprintf(&out, "---\ntags: [%s]\n---\n", strings.Join(n.tags, ", "))
	}
	for _, line := range n.lines {
		out.WriteString("- " + line + "\n")
	}
	return out.String()
}

// writeVault writes the notes as a folder of markdown files.
func writeVault(folder string, notes []note) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, n := range notes {
		if err := os.WriteFile(filepath.Join(folder, n.title+".md"), []byte(n.markdown()), 0o600); err != nil {
			return err
		}
	}
	return nil
}
