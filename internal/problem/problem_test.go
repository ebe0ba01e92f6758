package problem

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

func TestHint(t *testing.T) {
	tools := World{Tool: func(task Task) string {
		return map[Task]string{"find": "search_notes"}[task]
	}}
	for _, test := range []struct {
		name  string
		world World
		hint  Hint
		want  string
	}{
		{"says nothing where there is nothing to do", World{}, Hint{}, ""},
		{"takes a format without operands as it is", World{}, Say("It is 100% full."), "It is 100% full."},
		{"names a command", World{}, Say("The user runs: %s", Run("reauth", "Work")), "The user runs: roam-mcp reauth Work"},
		{"names a command with the flags of its world", World{Flags: []string{"--config", "/a b/c.json"}}, Say("Run: %s", Run("import", "x").With("--yes")), "Run: roam-mcp --config '/a b/c.json' import --yes x"},
		{"names a command of a command", World{Flags: []string{"--sandbox"}}, Say("Run: %s", Run("history off").With("--graph", "My notes")), "Run: roam-mcp --sandbox history off --graph 'My notes'"},
		{"names a command that works anywhere without those flags", World{Flags: []string{"--sandbox"}}, Say("Run: %s", Run("sandbox").With("--approve", "allow").Anywhere()), "Run: roam-mcp sandbox --approve allow"},
		{"quotes the command of another program", World{}, Say("Run: %s", CommandLine{"chmod", "600", "/a b/c.json"}), "Run: chmod 600 '/a b/c.json'"},
		{"keeps a name from being taken for a flag", World{}, Say("Run: %s", Run("enable", "-x")), "Run: roam-mcp enable -- -x"},
		{"names the program alone", World{Flags: []string{"--sandbox"}}, Say("Run %s in a terminal.", Run("")), "Run roam-mcp --sandbox in a terminal."},
		{"names the tool of its profile", tools, Say("Find it with %s.", Task("find")), "Find it with search_notes."},
		{"leaves out a sentence whose tool is not offered", tools, Say("Do not try again.").Then("Undo it with %s.", Task("undo")).Then("Ask."), "Do not try again. Ask."},
		{"says the other sentence where the tool is not offered", tools, Say("Undo it with %s.", Task("undo")).Or("Find it with %s.", Task("find")), "Find it with search_notes."},
		{"names no tool where there are none", World{}, Say("Find it with %s.", Task("find")).Or("Look for it."), "Look for it."},
		{"leaves out a sentence about a tool that is not offered", tools, Say("Read.").Then("Ask before you undo.").Needing("undo"), "Read."},
		{"says a sentence about a tool that is offered", tools, Say("Search first.").Needing("find"), "Search first."},
		{"calls Roam by the name it has", World{Roam: "the sandbox"}, Say("Start %s.", Roam), "Start the sandbox."},
		{"calls Roam by its own name", World{}, Say("Start %s.", Roam), "Start Roam Desktop."},
		{"counts", World{}, Say("There are %d.", 3), "There are 3."},
		{"holds another hint", tools, Say("%s Again.", Say("Find it with %s.", Task("find"))), "Find it with search_notes. Again."},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.world.Say(test.hint); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestHint_isNotChangedByWhatIsMadeOfIt(t *testing.T) {
	base := Say("One.").Then("Two.")
	_ = base.Then("Three.")
	_ = base.Or("Other.")
	if got := (World{}).Say(base.Then("Four.")); got != "One. Two. Four." {
		t.Errorf("got %q", got)
	}
}

func TestError(t *testing.T) {
	cause := errors.New("refused")
	failed := &Error{Code: "X", Message: "It failed.", Call: &Call{Status: 500, Action: "q", Sent: true}, Err: cause}
	wrapped := fmt.Errorf("while trying: %w", failed)
	t.Run("is found below others with its code", func(t *testing.T) {
		if CodeOf(wrapped) != "X" || !errors.Is(wrapped, cause) {
			t.Errorf("code %q", CodeOf(wrapped))
		}
	})
	t.Run("is a call to Roam only where it has one", func(t *testing.T) {
		if _, ok := AsCall(wrapped); !ok {
			t.Error("a failed call is not taken for one")
		}
		if e, ok := AsCall(&Error{Code: "Y"}); ok || e.Status() != 0 || e.Action() != "" || e.Sent() {
			t.Error("another error is taken for a call")
		}
	})
	t.Run("replaces a detail of the same name and leaves the first error alone", func(t *testing.T) {
		one := failed.With("a", 1)
		two := one.With("b", 2).With("a", 3)
		if one.Detail("a") != 1 || two.Detail("a") != 3 || two.Detail("b") != 2 || failed.Detail("a") != nil {
			t.Errorf("one %v, two %v", one.Details, two.Details)
		}
	})
	t.Run("shows the code, the message and the HTTP status", func(t *testing.T) {
		if got := failed.Error(); got != "X: It failed. (HTTP 500)" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("is made of an error that nobody explained", func(t *testing.T) {
		if e := FromError(cause); e.Code != CodeFailed || e.Message != "Refused." {
			t.Errorf("got %+v", e)
		}
	})
}

func TestSentence(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"leaves nothing alone", "", ""},
		{"gets a capital and a full stop", "no room", "No room."},
		{"gets a capital in any script", "änderung.json is empty.", "Änderung.json is empty."},
		{"keeps what has no capital", "“a” is taken", "“a” is taken."},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Sentence(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// hostile are names that a shell would obey if they were quoted wrongly.
func hostile() []string {
	return []string{
		"Notes", "Work notes", "", "~", "*", "a'b", `a"b`, `a\b`, "a\\", "$(touch x)", "`touch x`", "${HOME}", "$HOME", "!!", "a;b", "a|b", "a&b", "a>b",
		"(a)", "{a,b}", "[a]", "#a", "a#b", "-a", "--", "=a", "=ls", "%self", "a=b", `a\'; touch x; '`, "über", "日本", "a\u2019b", "a\u2018b", "\u201a", "'", "''", `"`, "%PATH%", "@x", "a,b", "^a", "a\tb", "a\nb",
	}
}

func TestQuote(t *testing.T) {
	t.Run("keeps backslashes out of the quotes, for fish", func(t *testing.T) {
		if got := POSIX.Quote(`a\'b`); got != `'a'\\''\''b'` {
			t.Errorf("got %s", got)
		}
	})
	t.Run("gives a POSIX shell back the same words", func(t *testing.T) {
		sh, err := exec.LookPath("sh")
		if err != nil {
			t.Skip("no sh here")
		}
		words := hostile()
		out, err := exec.Command(sh, "-c", POSIX.Join(append([]string{"printf", `%s\0`}, words...)...)).Output()
		require.NoError(t, err)
		if got := strings.TrimSuffix(string(out), "\x00"); got != strings.Join(words, "\x00") {
			t.Errorf("got  %q\nwant %q", got, strings.Join(words, "\x00"))
		}
	})
	for _, test := range []struct{ name, word, want string }{
		{"leaves a plain word alone in PowerShell", `C:\notes\a.json`, `C:\notes\a.json`},
		{"doubles a quote in PowerShell", "a'b", "'a''b'"},
		{"doubles a typographic quote in PowerShell", "a\u2019b", "'a\u2019\u2019b'"},
		{"keeps a list one word in PowerShell", "a,b", "'a,b'"},
		{"keeps a variable a text in PowerShell", "$(calc)", "'$(calc)'"},
		{"keeps an empty word in PowerShell", "", "''"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := PowerShell.Quote(test.word); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
