package problem

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// randomWord returns a word of pieces that shells read as something else, or that are not seen.
func randomWord(r *rand.Rand) string {
	pieces := []string{
		"Work", "Büro", "日本", "e\u0301", "0a9f", " ", "  ", "'", `"`, "`", `\`, "$", "%", "^", "!", "&", "|", "<", ">", ";", "(", ")", "{", "}", "[", "]", "*", "?", "~",
		"#", "=", ",", "@", "-", "--", "$(touch x)", "${HOME}", "%PATH%", "!x!", `\'`, `\"`, `\\`, "\n", "\t", "\r", "\x01", "\x1b[31m", "\x7f", "\u0085", "\u2028",
		"\u00a0", "\u3000", "\u200b", "\ufeff", "\u00ad", "\u3164", "\u202e", "\u2069", "👩‍💻", "\ue000", "\u2018", "\u201d", "–",
	}
	var word strings.Builder
	for range 1 + r.IntN(12) {
		word.WriteString(pieces[r.IntN(len(pieces))])
	}
	return word.String()
}

// The shells of this machine read the words back, in a locale of UTF-8 and in one without, and
// no letter that is not seen stands in what is printed.
func TestShellsReadTheWordsBack(t *testing.T) {
	words := hostile()
	for r := rand.New(rand.NewPCG(1, 0)); len(words) < 200; {
		words = append(words, randomWord(r))
	}
	for _, shell := range []struct {
		program string
		quotes  Shell
		head    string
	}{
		{"dash", POSIX, ""}, {"bash", Bash, "set -o history -o histexpand\n"}, {"zsh", Bash, ""}, {"fish", Fish, ""},
	} {
		for _, locale := range []string{"C.UTF-8", "C"} {
			t.Run(shell.program+" in "+locale, func(t *testing.T) {
				program, err := exec.LookPath(shell.program)
				if err != nil {
					t.Skip("there is no " + shell.program + " here")
				}
				text, want := shell.head, []string{}
				for _, word := range words {
					if !shell.quotes.CanQuote(word) {
						continue
					}
					line := shell.quotes.Join("printf", `%s\0`, word)
					if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || strings.ContainsRune("\u00a0\u200b\u202e\u3164\u2028", r) }) {
						t.Errorf("what is not seen stands in %q", line)
					}
					text, want = text+line+"\n", append(want, word)
				}
				script := filepath.Join(t.TempDir(), "script")
				require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
				run := exec.Command(program, script)
				run.Dir, run.Env = t.TempDir(), append(os.Environ(), "LC_ALL="+locale)
				out, err := run.Output()
				require.NoError(t, err)
				if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); len(want) < 100 || !slices.Equal(got, want) {
					t.Errorf("of %d words arrived %d: %q", len(want), len(got), got)
				}
				if made, err := os.ReadDir(run.Dir); err != nil || len(made) > 0 {
					t.Errorf("something else ran: %v, %v", made, err)
				}
			})
		}
	}
}
