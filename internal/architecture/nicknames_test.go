package architecture

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

var (
	nicknamesSeed  = flag.Uint64("nicknames-seed", 1, "of the random nicknames")
	nicknamesCount = flag.Int("nicknames-count", 150, "how many nicknames are put into printed commands")
)

// randomNickname returns a text of up to 200 characters of which many are such as a shell
// takes for something else, or nobody sees.
func randomNickname(r *rand.Rand) string {
	kinds := []func() string{
		func() string { return pick(r, "Work", "notes", "Büro", "日本", "שלום", "e\u0301", "0a9f") },
		func() string { return pick(r, " ", "  ") },
		func() string {
			return pick(r, "'", `"`, "`", `\`, "$", "%", "^", "!", "&", "|", "<", ">", ";", "(", ")", "{", "}", "[", "]", "*", "?", "~", "#", "=", ",", "@", "-", "--", "+")
		},
		func() string { return pick(r, "$(touch x)", "${HOME}", "%PATH%", "!x!", "$env:A", `\'`, `\"`, `\\`) },
		func() string { return pick(r, "\n", "\t", "\r", "\x01", "\x1b[31m", "\x7f", "\u0085", "\u2028") },
		func() string {
			return pick(r, "\u00a0", "\u2003", "\u3000", "\u1680", "\u202f", "\u205f", "\u200b", "\u2060", "\ufeff", "\u00ad", "\u3164")
		},
		func() string { return pick(r, "\u202e", "\u2066", "\u2069", "\u200e", "\u061c") },
		func() string {
			return pick(r, "👩‍💻", "🇩🇪", "❤️", "1️⃣", "👍🏽", "\U000e0041", "\ue000", "\U000f0000")
		},
		func() string {
			return pick(r, "\u2018", "\u2019", "\u201a", "\u201c", "\u201d", "\u201e", "–", "…")
		},
	}
	var out strings.Builder
	for range 1 + r.IntN(12) {
		out.WriteString(kinds[r.IntN(len(kinds))]())
	}
	if r.IntN(20) == 0 {
		out.WriteString(strings.Repeat("ab \u00a0", 50))
	}
	return string([]rune(out.String())[:min(len([]rune(out.String())), 200)])
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// commandForms returns the commands of docs/COMMANDS.md that take a nickname or the name of
// a graph, with <> in its place.
func commandForms(t *testing.T) (forms [][]string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/COMMANDS.md")
	require.NoError(t, err)
	for _, found := range regexp.MustCompile("`(roam-mcp [^`\n]*)`").FindAllStringSubmatch(string(text), -1) {
		words := strings.Fields(found[1])
		takes := false
		for i, word := range words {
			if trimmed := strings.Trim(word, "[]…"); trimmed == "NICKNAME" || trimmed == "GRAPH" {
				words[i], takes = "<>", true
			}
		}
		if takes {
			forms = append(forms, words)
		}
	}
	if len(forms) < 5 {
		t.Fatalf("docs/COMMANDS.md has %d commands that take a graph", len(forms))
	}
	return forms
}

// said is a command line, and the words that are to arrive of it behind the program.
type said struct {
	line  string
	words []string
}

// commandsWith returns the commands that the program and docs/COMMANDS.md print with nicknames
// in them, as a person reads them: each nickname in one after the other of the commands.
func commandsWith(t *testing.T, shell problem.Shell, printed []problem.Command) (all []said, unsayable int) {
	t.Helper()
	forms := append(commandForms(t), []string{"claude", "mcp", "add", "--scope", "user", "roam", "--", "roam-mcp", "serve", "--graph", "<>"})
	fill := func(words []string, nickname string) []string {
		words = slices.Clone(words)
		for i, word := range words {
			if strings.Contains(word, "<") {
				words[i] = nickname
			}
		}
		return words
	}
	for i, nickname := range nicknames() {
		command := printed[i%len(printed)]
		command = problem.Run(command.Name, append(fill(command.Operands, nickname), nickname)...).With(fill(command.Flags, nickname)...)
		form := fill(forms[i%len(forms)], nickname)
		world := problem.World{Flags: []string{"--config", nickname}, Shell: shell}
		if i%2 == 0 {
			command = command.Anywhere()
		}
		lines := world.Lines(problem.Say("Mend it: %s.", command).Then("%s does it, too.", problem.CommandLine(form)))
		if !shell.CanQuote(nickname) {
			unsayable++
			for _, line := range lines {
				if line.Command {
					t.Errorf("%q can't be written, and is printed: %q", nickname, line.Text)
				}
			}
			continue
		}
		var rest []string
		if i%2 == 1 {
			rest = []string{"--config", nickname}
		}
		rest = slices.Concat(rest, strings.Fields(command.Name), command.Flags)
		if slices.ContainsFunc(command.Operands, func(s string) bool { return strings.HasPrefix(s, "-") }) {
			rest = append(rest, "--")
		}
		want := [][]string{append(rest, command.Operands...), form[1:]}
		for _, line := range lines {
			if !line.Command {
				continue
			}
			if len(want) == 0 {
				t.Fatalf("there are too many commands in %v", lines)
			}
			all, want = append(all, said{line.Text, want[0]}), want[1:]
		}
		if len(want) > 0 {
			t.Fatalf("commands are missing in %v", lines)
		}
	}
	return all, unsayable
}

// namedCommands returns the commands of the sources whose names are known.
func namedCommands(t *testing.T) []problem.Command {
	t.Helper()
	sources, err := readSources(os.DirFS("../.."))
	require.NoError(t, err)
	commands := slices.DeleteFunc(sources.printedCommands(), func(c problem.Command) bool { return strings.Contains(c.Name, "<") })
	if len(commands) < 20 || len(commands) > *nicknamesCount {
		t.Fatalf("there are %d commands", len(commands))
	}
	return commands
}

// nicknames returns hostile nicknames, and random ones for the rest.
func nicknames() []string {
	r := rand.New(rand.NewPCG(*nicknamesSeed, 0))
	names := hostile()
	for len(names) < *nicknamesCount {
		names = append(names, randomNickname(r))
	}
	return names
}

// TestPrintedCommandsArriveWhole has the shells that are here read the commands that the
// program prints with random nicknames, in a locale of UTF-8 and in one without.
func TestPrintedCommandsArriveWhole(t *testing.T) {
	const end = "\x00that was it\x00"
	const function = "p() { printf '%s\\0' \"$@\"; printf 'that was it\\0'; }\n"
	const powershell = "function p { foreach ($a in $args) { [Console]::Write($a + \"`0\") }; [Console]::Write(\"that was it`0\") }\n"
	printed := namedCommands(t)
	for _, test := range []struct {
		name, program string
		quotes        problem.Shell
		head          string
		everyWay      bool // the shell has a way to write each
		slow          bool
	}{
		{"dash", "dash", problem.POSIX, function, false, false},
		{"bash", "bash", problem.Bash, "set -o history -o histexpand\n" + function, true, false},
		{"zsh", "zsh", problem.Bash, function, true, false},
		{"fish", "fish", problem.Fish, "function p; printf '%s\\0' $argv; printf 'that was it\\0'; end\n", true, false},
		{"bash, of a person whose shell is not known", "bash", problem.POSIX, function, false, true},
		{"zsh, of a person whose shell is not known", "zsh", problem.POSIX, function, false, true},
		{"pwsh", "pwsh", problem.PowerShell, powershell, false, false},
		{"pwsh, as cmd.exe reads it, too", "pwsh", problem.Windows, powershell, false, false},
	} {
		for _, locale := range []string{"C.UTF-8", "C"} {
			t.Run(test.name+" in "+locale, func(t *testing.T) {
				shell, err := exec.LookPath(test.program)
				if err != nil {
					t.Skip("there is no " + test.program + " here")
				}
				if test.slow && *nicknamesCount < 1000 {
					t.Skip("it starts a process for each: -nicknames-count 1000")
				}
				t.Parallel()
				all, unsayable := commandsWith(t, test.quotes, printed)
				if test.everyWay && unsayable > 0 {
					t.Errorf("%d nicknames can't be written", unsayable)
				}
				text := test.head
				for _, each := range all {
					_, arguments, _ := strings.Cut(each.line, " ")
					text += "p " + arguments + "\n"
				}
				script := filepath.Join(t.TempDir(), "script.ps1")
				require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
				run := exec.Command(shell, script)
				run.Dir, run.Env = t.TempDir(), append(os.Environ(), "LC_ALL="+locale)
				out, err := run.Output()
				require.NoError(t, err)
				arrived := strings.Split(strings.TrimSuffix(string(out), end), end)
				if len(arrived) != len(all) {
					t.Fatalf("%d commands arrived of %d", len(arrived), len(all))
				}
				for i, each := range all {
					checkSaid(t, each, strings.Split(arrived[i], "\x00"))
				}
				if made, err := os.ReadDir(run.Dir); err != nil || len(made) > 0 {
					t.Errorf("something else ran: %v, %v", made, err)
				}
				t.Logf("%d commands arrived; %d nicknames have no way", len(all), unsayable)
			})
		}
	}
}

// TestPrintedCommandsArriveWholeOnWindows does the same by the rules of cmd.exe, of Windows
// PowerShell and of PowerShell 7.
func TestPrintedCommandsArriveWholeOnWindows(t *testing.T) {
	printed := namedCommands(t)
	for _, test := range []struct {
		name   string
		quotes problem.Shell
		read   func(string) ([]string, error)
	}{
		{"cmd.exe", problem.Windows, readByCmd},
		{"Windows PowerShell, as cmd.exe reads it, too", problem.Windows, readByPowerShell(passedByPowerShell5)},
		{"PowerShell 7, as cmd.exe reads it, too", problem.Windows, readByPowerShell(passedByPowerShell7)},
		{"Windows PowerShell", problem.PowerShell, readByPowerShell(passedByPowerShell5)},
		{"PowerShell 7", problem.PowerShell, readByPowerShell(passedByPowerShell7)},
	} {
		t.Run(test.name, func(t *testing.T) {
			all, unsayable := commandsWith(t, test.quotes, printed)
			if len(all) < 20 {
				t.Fatalf("%d commands can be written", len(all))
			}
			for _, each := range all {
				words, err := test.read(each.line)
				if err != nil {
					t.Errorf("%s: %v", each.line, err)
					continue
				}
				checkSaid(t, each, words[1:])
			}
			t.Logf("%d commands arrived; %d nicknames have no way", len(all), unsayable)
		})
	}
}

func checkSaid(t *testing.T, each said, words []string) {
	t.Helper()
	if !slices.Equal(words, each.words) {
		t.Errorf("%s\narrived as %q\nand not as %q", each.line, words, each.words)
	}
	if strings.ContainsFunc(each.line, func(r rune) bool { return r < ' ' || strings.ContainsRune("\u00a0\u200b\u202e\u200d\u3164\u2028", r) }) {
		t.Errorf("what is not seen stands in %q", each.line)
	}
}
