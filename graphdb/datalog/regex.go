package datalog

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2"
)

// regex is a regular expression of JavaScript's dialect. Most are translated to those
// of package regexp, whose time is linear; look-around, back-references and what else
// it lacks are left to a backtracking engine, which is several times slower and is
// stopped after matchTime.
type regex struct {
	linear  *regexp.Regexp
	full    *regexp2.Regexp
	literal string // that every match holds; "" if unknown
	folded  bool   // literal is in lower case and ASCII, and matches any case
	whole   bool   // the expression is the literal and nothing else
}

const matchTime = time.Second // of one match by backtracking

// compileRegex compiles an expression. As in ClojureScript, flags may only be at its
// start: (?i), (?m), (?s) and (?u).
func compileRegex(source string) (*regex, error) {
	flags := ""
	if m := leadingFlags.FindStringSubmatch(source); m != nil {
		flags, source = m[1], source[len(m[0]):]
	}
	anyCase := strings.Contains(flags, "i")
	byHand := anyCase && isASCII(source) && !strings.Contains(source, `\`+"u") && !strings.Contains(source, `\`+"x")
	if text, ok := translateRegex(source, strings.Contains(flags, "s"), byHand); ok && !strings.Contains(flags, "u") {
		if byHand {
			text = "(?" + strings.ReplaceAll(flags, "i", "") + ":" + text + ")"
		} else if flags != "" {
			text = "(?" + flags + ")" + text
		}
		if linear, err := regexp.Compile(text); err == nil {
			re := &regex{linear: linear}
			re.literal, re.folded, re.whole = requiredLiteral(text)
			return re, nil
		}
	}
	var options regexp2.RegexOptions = regexp2.ECMAScript
	for _, f := range flags {
		options |= map[rune]regexp2.RegexOptions{'i': regexp2.IgnoreCase, 'm': regexp2.Multiline, 's': regexp2.Singleline, 'u': regexp2.Unicode}[f]
	}
	full, err := regexp2.Compile(source, options)
	if err != nil {
		return nil, err
	}
	full.MatchTimeout = matchTime
	re := &regex{full: full, literal: plainLiteral(source)}
	if anyCase {
		re.folded, re.literal = re.literal != "", strings.ToLower(re.literal)
		if !isASCII(re.literal) {
			re.folded, re.literal = false, ""
		}
	}
	return re, nil
}

var leadingFlags = regexp.MustCompile(`^\(\?([imsu]+)\)`)

// find returns the byte offsets of the first match and its groups, as package regexp
// does; nil if there is none.
func (re *regex) find(s string) ([]int, error) {
	if re.literal != "" {
		at := strings.Index(s, re.literal)
		if re.folded {
			at = indexFold(s, re.literal)
		}
		if at < 0 {
			return nil, nil
		}
		if re.whole {
			return []int{at, at + len(re.literal)}, nil
		}
	}
	if re.linear != nil {
		return re.linear.FindStringSubmatchIndex(s), nil
	}
	m, err := re.full.FindStringMatch(s)
	if err != nil {
		return nil, errorf(CodeTimeout, "The regular expression took more than %v on one text", matchTime)
	}
	if m == nil {
		return nil, nil
	}
	offsets := make([]int, 0, len(s)+1) // of the runes, by which the engine counts
	for i := range s {
		offsets = append(offsets, i)
	}
	offsets = append(offsets, len(s))
	var at []int
	for _, g := range m.Groups() {
		if len(g.Captures) == 0 {
			at = append(at, -1, -1)
		} else {
			at = append(at, offsets[g.Index], offsets[g.Index+g.Length])
		}
	}
	return at, nil
}

// JavaScript's white space and ends of lines, for a class.
const (
	spaceClass   = `\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	lineEndClass = `\n\r\x{2028}\x{2029}`
)

// translateRegex returns a JavaScript expression in the syntax of package regexp, and
// whether that can express it. With anyCase each letter of ASCII becomes both of its
// cases: without regard to case, package regexp takes the Kelvin sign for a k and the long
// s for an s, which JavaScript does not.
func translateRegex(source string, dotAll, anyCase bool) (string, bool) {
	var out strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == '\\':
			text, length, ok := translateEscape(source[i+1:], inClass)
			if !ok || anyCase && isLetter(text) {
				return "", false
			}
			out.WriteString(text)
			i += length
		case inClass && c == ']':
			inClass = false
			out.WriteByte(c)
		case inClass && c == '[':
			out.WriteString(`\[`)
		case c == '[':
			if rest := strings.TrimPrefix(source[i+1:], "^"); strings.HasPrefix(rest, "]") {
				return "", false // [] matches nothing, [^] anything
			}
			inClass = true
			out.WriteByte(c)
			if strings.HasPrefix(source[i+1:], "^") {
				out.WriteByte('^')
				i++
			}
		case c == '.' && !inClass && !dotAll:
			out.WriteString("[^" + lineEndClass + "]")
		case c == '(' && strings.HasPrefix(source[i+1:], "?") && !strings.HasPrefix(source[i+1:], "?:"):
			return "", false
		case anyCase && inClass && i+2 < len(source) && source[i+1] == '-' && source[i+2] != ']' && source[i+2] != '\\':
			out.WriteString(bothCases(c, source[i+2]))
			i += 2
		case anyCase && isLetter(source[i:i+1]) && inClass:
			out.WriteString(bothCases(c, c))
		case anyCase && isLetter(source[i:i+1]):
			out.WriteString("[" + bothCases(c, c) + "]")
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), !inClass
}

// isLetter reports whether a text is one letter of ASCII.
func isLetter(s string) bool {
	return len(s) == 1 && lowerASCII(s[0]) >= 'a' && lowerASCII(s[0]) <= 'z'
}

// bothCases returns a range of ASCII for a class, with the other case of its letters.
func bothCases(from, to byte) string {
	text := fmt.Sprintf(`\x%02x-\x%02x`, from, to)
	for _, letters := range [][2]byte{{'a', 'z'}, {'A', 'Z'}} {
		if first, last := max(from, letters[0]), min(to, letters[1]); first <= last {
			text += fmt.Sprintf(`\x%02x-\x%02x`, first^0x20, last^0x20)
		}
	}
	return text
}

// translateEscape translates what follows a backslash and returns its length.
func translateEscape(rest string, inClass bool) (text string, length int, ok bool) {
	if rest == "" {
		return "", 0, false
	}
	c := rest[0]
	hex := 0
	switch {
	case strings.IndexByte("dDwWtnrfv", c) >= 0:
		return `\` + rest[:1], 1, true
	case c == 'b' && inClass:
		return `\x08`, 1, true
	case (c == 'b' || c == 'B') && !inClass:
		return `\` + rest[:1], 1, true
	case c == 's' && inClass:
		return spaceClass, 1, true
	case c == 's':
		return "[" + spaceClass + "]", 1, true
	case c == 'S' && !inClass:
		return "[^" + spaceClass + "]", 1, true
	case c == 'x':
		hex = 2
	case c == 'u':
		hex = 4
	case c >= '0' && c <= '9' || c == 'k' || c == 'c' || c == 'S' || c == 'B' || c >= 0x80:
		return "", 0, false
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z': // any other letter is itself
		return rest[:1], 1, true
	default:
		return regexp.QuoteMeta(rest[:1]), 1, true
	}
	var code rune
	if n, err := fmt.Sscanf(rest[1:min(len(rest), 1+hex)], "%x", &code); n != 1 || err != nil || len(rest) < 1+hex || code >= 0xD800 && code < 0xE000 {
		return "", 0, false
	}
	return fmt.Sprintf(`\x{%x}`, code), 1 + hex, true
}

// requiredLiteral returns the longest text that all matches hold, and whether a match is
// nothing else.
func requiredLiteral(text string) (literal string, folded, whole bool) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return "", false, false
	}
	run, runFolded := "", false // of letters that follow one another
	end := func() {
		if len(run) > len(literal) {
			literal, folded = run, runFolded
		}
		run = ""
	}
	parts := 0
	var visit func(*syntax.Regexp)
	visit = func(x *syntax.Regexp) {
		s, fold := literalOf(x)
		if s == "" {
			end()
		}
		switch {
		case s != "" && (run == "" || fold == runFolded):
			run, runFolded = run+s, fold
		case s != "":
			end()
			parts++
			run, runFolded = s, fold
		case x.Op == syntax.OpConcat:
			for _, sub := range x.Sub {
				visit(sub)
			}
		case x.Op == syntax.OpCapture, x.Op == syntax.OpPlus:
			parts++
			visit(x.Sub[0])
			end()
		default:
			parts++
		}
	}
	visit(tree)
	end()
	return literal, folded, parts == 0 && literal != ""
}

// literalOf returns the text that is all that an expression matches, in lower case if it
// is folded: if it matches any case. Folded texts are ASCII.
func literalOf(x *syntax.Regexp) (s string, folded bool) {
	switch x.Op {
	case syntax.OpLiteral:
		s, folded = string(x.Rune), x.Flags&syntax.FoldCase != 0
		// The Kelvin sign and the long s, which fold to k and s, are not ASCII.
		if folded && (!isASCII(s) || strings.ContainsAny(s, "kKsS")) {
			return "", false
		}
		if folded {
			s = strings.ToLower(s)
		}
		return s, folded
	case syntax.OpCharClass: // k and s in both cases
		if r := x.Rune; len(r) == 4 && r[0] == r[1] && r[2] == r[3] && r[0]^0x20 == r[2] && isLetter(string(r[2])) {
			return string(r[2]), true
		}
	}
	return "", false
}

// plainLiteral returns the longest text that all matches of an expression of JavaScript's
// hold, as far as that is easily told: letters and escaped signs that follow one another
// outside of choices, classes and what may be repeated.
func plainLiteral(source string) (literal string) {
	var run []byte
	end := func() {
		if len(run) > len(literal) {
			literal = string(run)
		}
		run = nil
	}
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '|':
			return ""
		case strings.IndexByte("*?{", c) >= 0: // what comes before may be missing
			_, width := utf8.DecodeLastRune(run)
			run = run[:len(run)-width]
			end()
			if n := strings.IndexByte(source[i:], '}'); c == '{' && n > 0 {
				i += n
			}
		case c == '[':
			end()
			for i++; i < len(source) && source[i] != ']'; i++ {
				if source[i] == '\\' {
					i++
				}
			}
		case c == '(':
			end()
			close := closing(source, i)
			inner, asked := strings.CutPrefix(source[i+1:close], "?=")
			if behind, ok := strings.CutPrefix(inner, "?<="); ok {
				inner, asked = behind, true
			}
			if sub := plainLiteral(inner); asked && len(sub) > len(literal) && !repeated(source[min(close+1, len(source)):]) {
				literal = sub
			}
			i = close
		case c == '\\' && i+1 < len(source) && source[i+1] < 0x80 && !isLetter(source[i+1:i+2]) && (source[i+1] < '0' || source[i+1] > '9'):
			i++
			run = append(run, source[i])
		case c == '\\' && i+1 < len(source) && strings.IndexByte("dDwWsSbBtnrfv", source[i+1]) >= 0:
			i++
			end()
		case c == '\\':
			return "" // it may be longer
		case strings.IndexByte(".^$+)]}", c) >= 0:
			end()
		default:
			run = append(run, c)
		}
	}
	end()
	return literal
}

// closing returns the index of the bracket that closes the group at an index.
func closing(source string, at int) int {
	depth, inClass := 0, false
	for ; at < len(source); at++ {
		switch c := source[at]; {
		case c == '\\':
			at++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return len(source)
}

func repeated(rest string) bool { return rest != "" && strings.IndexByte("*?{+", rest[0]) >= 0 }

// indexFold returns where s holds an ASCII literal, given in lower case, in any case; -1
// if it does not.
func indexFold(s, literal string) int {
	for i := 0; i+len(literal) <= len(s); i++ {
		if lowerASCII(s[i]) != literal[0] {
			continue
		}
		n := 1
		for n < len(literal) && lowerASCII(s[i+n]) == literal[n] {
			n++
		}
		if n == len(literal) {
			return i
		}
	}
	return -1
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
