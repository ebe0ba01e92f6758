package problem

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"roam-mcp/internal/textsafe"
)

// Shell is a command language that printed commands are quoted for.
type Shell int

// The shells that are known.
const (
	POSIX      Shell = iota // sh, and whatever reads its language
	Bash                    // bash and zsh
	Fish                    // fish
	PowerShell              // Windows PowerShell and pwsh
	Windows                 // what PowerShell and cmd.exe read alike
)

// ShellOf returns the shell that is quoted for on an operating system, named as
// runtime.GOOS names it, where no more is known than that.
func ShellOf(goos string) Shell {
	if goos == "windows" {
		return PowerShell
	}
	return POSIX
}

// ShellFor returns the shell of a person on an operating system whose variable SHELL is
// given. On Windows nothing tells PowerShell from cmd.exe, so it is what both read alike.
func ShellFor(goos, variable string) Shell {
	if goos == "windows" {
		return Windows
	}
	switch path.Base(variable) {
	case "bash", "zsh":
		return Bash
	case "fish":
		return Fish
	}
	return POSIX
}

// Join returns a command line that the shell splits into just these words, as far as
// CanQuote reports that it has a way to write them.
func (s Shell) Join(words ...string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = s.Quote(word)
	}
	return strings.Join(quoted, " ")
}

// CanQuote reports whether the shell gives a program the words as they are when they are
// written as Quote writes them. Windows PowerShell loses an empty word and double quotes
// on the way, and takes a backslash at the end of a word with a blank for an escape.
// Nothing that PowerShell and cmd.exe both read keeps what either expands.
func (s Shell) CanQuote(words ...string) bool {
	for _, word := range words {
		if !s.canQuote(word) {
			return false
		}
	}
	return true
}

func (s Shell) canQuote(word string) bool {
	switch s {
	case PowerShell:
		return utf8.ValidString(word) && word != "" && !strings.ContainsAny(word, "\"\x00") &&
			!(strings.HasSuffix(word, `\`) && strings.ContainsFunc(word, unicode.IsSpace))
	case Windows:
		return s.isPlain(word) || utf8.ValidString(word) && word != "" && !strings.HasSuffix(word, `\`) &&
			!strings.ContainsAny(word, "\"%!$`\u201c\u201d\u201e") && !strings.ContainsFunc(word, textsafe.Unseen)
	case POSIX: // a substitution ends before its last line breaks
		return !strings.Contains(word, "\x00") && !strings.HasSuffix(word, "\n")
	case Bash, Fish:
	}
	return !strings.Contains(word, "\x00")
}

// Quote returns a word so that the shell takes it as it is. Words that need no quotes get
// none. What is not seen as it is, such as a no-break space, is written as an escape.
func (s Shell) Quote(word string) string {
	hides := strings.ContainsFunc(word, textsafe.Unseen)
	switch {
	case s.isPlain(word):
		return word
	case s == Windows:
		return `"` + word + `"`
	case s == PowerShell && hides:
		return powerShellSum(word)
	case s == PowerShell:
		return powerShellText(word)
	case !hides:
		return posixText(word)
	case s == Bash:
		// Not \u00a0, which bash 3.2 of macOS lacks and other locales than UTF-8 refuse.
		return `$'` + escaped(word, strings.NewReplacer(`\`, `\\`, `'`, `\'`, `!`, `\x21`).Replace, hexBytes(`\x`)) + `'`
	case s == Fish:
		return escaped(word, posixText, hexBytes(`\X`))
	}
	return `"$(printf '` + escaped(word, octal, octal) + `')"`
}

// isPlain reports whether a word means itself without quotes.
func (s Shell) isPlain(word string) bool {
	plain := "_./:+=-"
	switch s {
	case PowerShell, Windows:
		plain += `\`
		if strings.HasPrefix(word, "-") && strings.ContainsAny(word, ".:") { // PowerShell parts it there
			return false
		}
	case POSIX, Bash, Fish:
		plain += "@%,"
	}
	// zsh takes a word that begins with = for the path of a command, and fish once
	// took one with % for a process.
	return word != "" && !strings.ContainsAny(word[:1], "=%") && !strings.ContainsFunc(word, func(r rune) bool {
		return !isAlphanumeric(r) && !strings.ContainsRune(plain, r)
	})
}

func isAlphanumeric(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// posixText quotes a text that has nothing unseen. Backslashes stand outside of the quotes,
// since fish escapes within them, too.
func posixText(text string) string {
	return "'" + strings.NewReplacer("'", `'\''`, `\`, `'\\'`).Replace(text) + "'"
}

// powerShellText quotes a text that has nothing unseen. PowerShell ends a single-quoted
// string at a typographic quote, too.
func powerShellText(text string) string {
	return "'" + strings.NewReplacer("'", "''", "\u2018", "\u2018\u2018", "\u2019", "\u2019\u2019", "\u201a", "\u201a\u201a", "\u201b", "\u201b\u201b").Replace(text) + "'"
}

// powerShellSum returns an expression that every PowerShell takes for a word.
func powerShellSum(word string) string {
	sum := escaped(word, func(text string) string { return "+" + powerShellText(text) }, func(hidden string) string {
		var out strings.Builder
		for _, r := range hidden {
			if r > 0xffff {
				fmt.Fprintf(&out, "+[char]::ConvertFromUtf32(0x%x)", r)
			} else {
				fmt.Fprintf(&out, "+[char]0x%04x", r)
			}
		}
		return out.String()
	})
	if strings.HasPrefix(sum, "+[") { // a sum is a text only where its first part is one
		return "(''" + sum + ")"
	}
	return "(" + strings.TrimPrefix(sum, "+") + ")"
}

// escaped returns a word with the parts that are seen written by seen, and the others,
// among them bytes that are no UTF-8, by hidden.
func escaped(word string, seen, hidden func(string) string) string {
	var out strings.Builder
	start, hides := 0, false
	end := func(at int) {
		if at > start && hides {
			out.WriteString(hidden(word[start:at]))
		} else if at > start {
			out.WriteString(seen(word[start:at]))
		}
		start = at
	}
	for at := 0; at < len(word); {
		r, size := utf8.DecodeRuneInString(word[at:])
		if now := textsafe.Unseen(r); now != hides { // also where it is no UTF-8
			end(at)
			hides = now
		}
		at += size
	}
	end(len(word))
	return out.String()
}

// hexBytes returns what writes each byte of a text in hexadecimal behind a prefix.
func hexBytes(prefix string) func(string) string {
	return func(text string) string {
		var out strings.Builder
		for i := range len(text) {
			fmt.Fprintf(&out, "%s%02x", prefix, text[i])
		}
		return out.String()
	}
}

// octal returns a text as a format of printf in single quotes, with whatever is more than
// a letter, a digit or a blank in octal.
func octal(text string) string {
	var out strings.Builder
	for i := range len(text) {
		switch r := rune(text[i]); {
		case isAlphanumeric(r), r == ' ':
			out.WriteByte(text[i])
		case r == '%': // zsh reads escapes first
			out.WriteString("%%")
		default:
			fmt.Fprintf(&out, `\%03o`, text[i])
		}
	}
	return out.String()
}
