package configstore

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// MaxNicknameLength is the longest nickname in characters (Unicode code points):
// as long as the longest graph name, so that a name always makes a nickname.
const MaxNicknameLength = 128

// NormalizeNickname trims the nickname and checks it: some visible text, no
// control characters, at most MaxNicknameLength characters, and not a token
// that was pasted into the wrong field. Its errors have code NICKNAME_INVALID.
func NormalizeNickname(s string) (string, error) {
	s = strings.TrimSpace(s)
	switch {
	case !utf8.ValidString(s):
		return "", nicknameInvalid("The nickname is not valid UTF-8 text.")
	case looksSecret(s):
		return "", nicknameInvalid("This is a token, not a nickname.")
	case strings.IndexFunc(s, isVisible) < 0:
		return "", nicknameInvalid("The nickname is empty.")
	case strings.IndexFunc(s, isControl) >= 0:
		return "", nicknameInvalid("The nickname holds a control character.")
	case utf8.RuneCountInString(s) > MaxNicknameLength:
		return "", nicknameInvalid(fmt.Sprintf("The nickname is longer than %d characters.", MaxNicknameLength))
	}
	return s, nil
}

func nicknameInvalid(message string) error {
	return &problem.Error{
		Code:    CodeNicknameInvalid,
		Message: message,
		Hint:    problem.Say("Use any text of up to %d characters without line breaks, such as Work.", MaxNicknameLength),
	}
}

func isVisible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// isControl reports whether a nickname must not contain r: a control character, a
// separator of lines, a mark of direction or the byte-order mark. It is less than
// what is not shown, since files of older builds have such nicknames.
func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || r == '\uFEFF'
}

// Plain reports whether a nickname has nothing that sh, bash, zsh, fish, PowerShell or
// cmd.exe takes for something else within quotes, that ends a command where somebody leaves
// them out, or that is not seen: every shell can be given it, and everybody can type it.
func Plain(nickname string) bool {
	return !strings.ContainsFunc(nickname, isSpecial) && !strings.HasPrefix(nickname, "-")
}

// checkPlain returns the error of a new nickname that is not Plain.
func checkPlain(nickname string) error {
	if Plain(nickname) {
		return nil
	}
	message := "The nickname begins with -, as flags do."
	if at := strings.IndexFunc(nickname, isSpecial); at >= 0 {
		r := []rune(nickname[at:])[0]
		message = fmt.Sprintf("The nickname holds the character %U, which a new one must not hold: a shell takes it for something else, or it is not seen.", r)
	}
	return &problem.Error{Code: CodeNicknameInvalid, Message: message, Hint: problem.Say("Use letters, digits and spaces, such as Work.")}
}

func isSpecial(r rune) bool {
	return strings.ContainsRune("`$\"'\\&|<>;%^!\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f", r) ||
		textsafe.Unseen(r)
}

// SameNickname reports whether two nicknames are the same under the file's rule of
// uniqueness: trimmed, they are a canonical caseless match (Unicode 3.13, D145).
func SameNickname(a, b string) bool {
	return a == b || FoldNickname(a) == FoldNickname(b)
}

// FoldNickname returns a text that is equal for nicknames that SameNickname takes for
// the same. A search without regard to case compares it.
func FoldNickname(s string) string {
	folded := cases.Fold().String(norm.NFD.String(strings.TrimSpace(s)))
	return norm.NFD.String(folded)
}

// numbered appends a number to a nickname and shortens it where it got too long.
func numbered(nickname string, n int) string {
	suffix := " " + strconv.Itoa(n)
	runes := []rune(nickname)
	if room := MaxNicknameLength - len(suffix); len(runes) > room {
		runes = runes[:room]
	}
	return strings.TrimSpace(string(runes)) + suffix
}

// looksSecret reports whether s holds a token, so that it must not be shown.
func looksSecret(s string) bool {
	return strings.Contains(s, localapi.TokenPrefix) || strings.Contains(s, "roam-graph-token-")
}

// shown returns text from the file with tokens redacted and what must not be shown
// replaced.
func shown(s string) string {
	if looksSecret(s) {
		return "[token redacted]"
	}
	return strings.Map(func(r rune) rune {
		if textsafe.Unshowable(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// quoted is shown in quotes, escaped and cut to a length that fits a sentence.
func quoted(s string) string {
	const longest = 60
	s = shown(s)
	if runes := []rune(s); len(runes) > longest {
		s = string(runes[:longest]) + "…"
	}
	return strconv.Quote(s)
}
