package datalog

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2"

	"roam-mcp/internal/lazyregexp"
)

// regex is a regular expression of JavaScript's dialect. It matches by backtracking, which
// is stopped after matchTime. It is not safe for concurrent use.
type regex struct {
	*regexp2.Regexp
	fold   bool      // case does not matter, see canonicalCase
	starts []string  // one of them begins each match; none if that is unknown
	whole  bool      // and ends it
	first  [256]bool // the bytes that they begin with
	text   []rune    // that was matched last, for its room
}

const matchTime = time.Second // of one match

// compileRegex compiles an expression. As in ClojureScript, flags may only be at its
// start: (?i), (?m), (?s) and (?u).
func compileRegex(source string) (*regex, error) {
	flags := ""
	if m := leadingFlags.FindStringSubmatch(source); m != nil {
		flags, source = m[1], source[len(m[0]):]
	}
	var options regexp2.RegexOptions = regexp2.ECMAScript
	for _, f := range flags {
		options |= map[rune]regexp2.RegexOptions{'i': regexp2.IgnoreCase, 'm': regexp2.Multiline, 's': regexp2.Singleline, 'u': regexp2.Unicode}[f]
	}
	re := &regex{fold: strings.Contains(flags, "i") && !strings.Contains(flags, "u")}
	if re.fold {
		source = strings.Map(canonicalCase, source)
	}
	var err error
	if re.Regexp, err = regexp2.Compile(ecmaScript(source, flags), options); err != nil {
		return nil, err
	}
	re.MatchTimeout = matchTime
	if starts, whole := literalStarts(source); !strings.Contains(flags, "i") || re.fold && isASCII(strings.Join(starts, "")) {
		re.starts, re.whole = starts, whole
		for _, start := range starts {
			if re.first[start[0]] = true; re.fold && isLetter(start[0]) {
				re.first[start[0]|0x20], re.first[start[0]&^0x20] = true, true
			}
		}
	}
	return re, nil
}

var leadingFlags = lazyregexp.New(`^\(\?([imsu]+)\)`)

// find returns the byte offsets of the first match and its groups, as package regexp
// does; nil if there is none.
func (re *regex) find(s string) ([]int, error) {
	re.text = re.text[:0]
	for _, c := range s {
		if re.fold && c >= utf8.RuneSelf {
			c = canonicalCase(c)
		}
		re.text = append(re.text, c)
	}
	m, err := re.FindRunesMatch(re.text)
	if err != nil {
		return nil, errorf(CodeTimeout, "The regular expression took more than %v on one text", matchTime)
	}
	if m == nil {
		return nil, nil
	}
	offset := func(runes int) int { return runes }
	if len(re.text) != len(s) {
		offsets := make([]int, 0, len(re.text)+1)
		for i := range s {
			offsets = append(offsets, i)
		}
		offsets = append(offsets, len(s))
		offset = func(runes int) int { return offsets[runes] }
	}
	var at []int
	for _, g := range m.Groups() {
		if len(g.Captures) == 0 {
			at = append(at, -1, -1)
		} else {
			at = append(at, offset(g.Index), offset(g.Index+g.Length))
		}
	}
	return at, nil
}

// start returns where in a text the first of what a match begins with stands, which is found
// many times faster than a match; -1: nowhere.
func (re *regex) start(s string) (from, to int) {
	for i := range len(s) {
		if !re.first[s[i]] {
			continue
		}
		for _, start := range re.starts {
			end := i + len(start)
			if end <= len(s) && re.same(s[i:end], start) {
				return i, end
			}
		}
	}
	return -1, -1
}

// same reports whether a text is a start, which is of its length.
func (re *regex) same(s, start string) bool {
	for i := range len(start) {
		if s[i] != start[i] && !(re.fold && s[i]^start[i] == 0x20 && isLetter(s[i])) {
			return false
		}
	}
	return true
}

// literalStarts returns the texts that the choices of an expression begin with; nil if one
// may begin with something else. whole: there is nothing behind them.
func literalStarts(source string) (starts []string, whole bool) {
	const special = `\^$.*+?()[]{}|`
	choices := strings.Split(source, "|")
	if len(choices) > 1 && strings.ContainsAny(source, `\([`) {
		return nil, false
	}
	whole = !strings.ContainsAny(source, strings.Trim(special, "|"))
	for i, choice := range choices {
		start := strings.TrimPrefix(choice, "^")
		if end := strings.IndexAny(start, special); end >= 0 {
			rest := start[end:]
			if start = start[:end]; strings.IndexByte("*?{", rest[0]) >= 0 { // the last character may be missing
				_, width := utf8.DecodeLastRuneInString(start)
				start = start[:len(start)-width]
			}
		}
		if start == "" {
			return nil, false
		}
		choices[i] = start
	}
	return choices, whole
}

// ecmaScript returns an expression in which what regexp2 still understands in another way
// than ECMAScript is written in a way that it does not: a dot, a bracket within a class,
// and letters that a backslash leaves as they are.
func ecmaScript(source, flags string) string {
	escapes := "dDwWsSbBtnrfvxuck"
	if strings.Contains(flags, "u") {
		escapes += "pP"
	}
	var out strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\' && i+1 < len(source):
			i++
			switch next := source[i]; {
			case next == 'b' && !inClass:
				out.WriteString(`(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))`)
			case next == 'B' && !inClass:
				out.WriteString(`(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))`)
			case isLetter(next) && strings.IndexByte(escapes, next) < 0:
				out.WriteByte(next)
			default:
				out.WriteString(source[i-1 : i+1])
			}
		case c == '.' && !inClass && !strings.Contains(flags, "s"):
			out.WriteString(`[^\n\r\u2028\u2029]`)
		case c == '[' && inClass:
			out.WriteString(`\[`)
		default:
			inClass = c == '[' || inClass && c != ']'
			out.WriteByte(c)
		}
	}
	return out.String()
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// canonicalCase returns a character that is in lower case the same for those that are the
// same to ECMAScript where case does not matter: those with the same upper case. A letter
// beyond ASCII is none of ASCII, and neither the Kelvin sign a k nor the sign of the
// Angstrom an å: these become characters for private use.
func canonicalCase(c rune) rune {
	upper := unicode.ToUpper(c)
	switch lower := unicode.ToLower(upper); {
	case c < utf8.RuneSelf || upper < utf8.RuneSelf:
		return c
	case unicode.ToUpper(lower) != upper:
		const privateUse = 0x100000
		return privateUse + c&0xffff
	default:
		return lower
	}
}
