package kit

import (
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
)

// commandsIn returns the commands of a text that Advice has made.
func commandsIn(text string) (commands []string) {
	for i, part := range strings.Split(text, commandMark) {
		if i%2 == 1 {
			commands = append(commands, part)
		}
	}
	return commands
}

func TestAdvice(t *testing.T) {
	world := problem.World{Shell: problem.Bash}
	text := Advice(world.Lines(problem.Say("Rename %s, which nobody sees: %s. Then go on.", "a\x1b[31m\x1eb", problem.Run("rename", "My  \u00a0notes – work", "Notes"))))
	const command = `roam-mcp rename $'My  \xc2\xa0notes – work' Notes`
	t.Run("has its commands", func(t *testing.T) {
		if got := commandsIn(text); !slices.Equal(got, []string{command}) {
			t.Errorf("got %q", got)
		}
	})
	t.Run("is wrapped around its commands", func(t *testing.T) {
		want := []string{"Rename ab, which", "nobody sees:", "  " + command, "Then go on."}
		var got []string
		for _, line := range Wrap(text, 16) {
			got = append(got, Drawn(line, ASCIIGlyphs().Transliterate))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
	t.Run("says that a command is cut", func(t *testing.T) {
		if got := Unmarked(UnicodeGlyphs().Cut(Wrap(text, 16)[2], 20)); got != "  roam-mcp rename $…" {
			t.Errorf("got %q", got)
		}
	})
}

func TestDrawn(t *testing.T) {
	for name, test := range map[string]struct{ line, want string }{
		"keeps colours":                {"\x1b[1;38;5;8mred\x1b[m", "\x1b[1;38;5;8mred\x1b[m"},
		"drops what fills a clipboard": {"a\x1b]52;c;eA==\x07b", "a]52;c;eA==b"},
		"drops what moves the cursor":  {"a\x1b[2Jb\x1b[1", "a[2Jb[1"},
		"drops marks of direction":     {"a\u202eb\u200b\U000e0041", "ab"},
		"keeps emoji":                  {"👩\u200d💻", "👩\u200d💻"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Drawn(test.line, func(s string) string { return s }); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
