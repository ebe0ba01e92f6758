package problem

import "strings"

// Shell is a command language that printed commands are quoted for.
type Shell int

// The shells that are known.
const (
	POSIX      Shell = iota // sh, bash, zsh, fish
	PowerShell              // Windows PowerShell and pwsh
)

// ShellOf returns the shell that people use on an operating system, named as
// runtime.GOOS names it.
func ShellOf(goos string) Shell {
	if goos == "windows" {
		return PowerShell
	}
	return POSIX
}

// Join returns a command line that the shell splits into just these words.
func (s Shell) Join(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = s.Quote(word)
	}
	return strings.Join(quoted, " ")
}

// Quote returns a word so that the shell takes it as it is. Words that need no
// quotes get none. PowerShell before 7.3 loses a double quote in it on the way to the
// program that it starts, whatever the quoting.
func (s Shell) Quote(word string) string {
	plain := "_./:+=-"
	if s == POSIX {
		plain += "@%,"
	} else {
		plain += `\`
	}
	// zsh takes a word that begins with = for the path of a command, and fish once
	// took one with % for a process.
	safe := word != "" && !strings.ContainsAny(word[:1], "=%")
	for _, r := range word {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(plain, r)) {
			safe = false
			break
		}
	}
	switch {
	case safe:
		return word
	case s == PowerShell:
		// PowerShell ends a single-quoted string at a typographic quote, too.
		return "'" + strings.NewReplacer("'", "''", "\u2018", "\u2018\u2018", "\u2019", "\u2019\u2019", "\u201a", "\u201a\u201a", "\u201b", "\u201b\u201b").Replace(word) + "'"
	}
	// Backslashes stand outside of the quotes, since fish escapes within them, too.
	return "'" + strings.NewReplacer("'", `'\''`, `\`, `'\\'`).Replace(word) + "'"
}
