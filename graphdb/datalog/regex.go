package datalog

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

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
}

const matchTime = time.Second // of one match by backtracking

// compileRegex compiles an expression. As in ClojureScript, flags may only be at its
// start: (?i), (?m), (?s) and (?u).
func compileRegex(source string) (*regex, error) {
	flags := ""
	if m := leadingFlags.FindStringSubmatch(source); m != nil {
		flags, source = m[1], source[len(m[0]):]
	}
	if text, ok := translateRegex(source, strings.Contains(flags, "s")); ok && !strings.Contains(flags, "u") {
		if flags != "" {
			text = "(?" + flags + ")" + text
		}
		if linear, err := regexp.Compile(text); err == nil {
			re := &regex{linear: linear}
			re.literal, re.folded = requiredLiteral(text)
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
	return &regex{full: full}, nil
}

var leadingFlags = regexp.MustCompile(`^\(\?([imsu]+)\)`)

// find returns the byte offsets of the first match and its groups, as package regexp
// does; nil if there is none.
func (re *regex) find(s string) ([]int, error) {
	if re.linear != nil {
		if re.literal != "" && !re.folded && !strings.Contains(s, re.literal) || re.folded && !containsFold(s, re.literal) {
			return nil, nil
		}
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
// whether that can express it.
func translateRegex(source string, dotAll bool) (string, bool) {
	var out strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
		case c == '\\':
			text, length, ok := translateEscape(source[i+1:], inClass)
			if !ok {
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
		default:
			out.WriteByte(c)
		}
	}
	return out.String(), !inClass
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

// requiredLiteral returns the longest text that all matches hold.
func requiredLiteral(text string) (literal string, folded bool) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return "", false
	}
	var visit func(*syntax.Regexp)
	visit = func(x *syntax.Regexp) {
		switch x.Op {
		case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
			for _, sub := range x.Sub {
				visit(sub)
			}
		case syntax.OpLiteral:
			s, fold := string(x.Rune), x.Flags&syntax.FoldCase != 0
			// The Kelvin sign and the long s, which fold to k and s, are not ASCII.
			if fold && (!isASCII(s) || strings.ContainsAny(s, "kKsS")) || len(s) <= len(literal) {
				return
			}
			literal, folded = s, fold
			if fold {
				literal = strings.ToLower(s)
			}
		}
	}
	visit(tree)
	return literal, folded
}

// containsFold reports whether s holds an ASCII literal, given in lower case, in any
// case.
func containsFold(s, literal string) bool {
	for i := 0; i+len(literal) <= len(s); i++ {
		n := 0
		for n < len(literal) && lowerASCII(s[i+n]) == literal[n] {
			n++
		}
		if n == len(literal) {
			return true
		}
	}
	return false
}

func lowerASCII(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
