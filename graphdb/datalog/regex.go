package datalog

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"roam-mcp/internal/lazyregexp"
)

// regex is a regular expression of JavaScript's dialect. Most are translated to those
// of package regexp, whose time is linear, and so is look-around at the ends of an
// expression; look-around elsewhere, back-references and what else it lacks are left to a
// backtracking engine, which is several times slower and is stopped after matchTime.
type regex struct {
	linear  *regexp.Regexp
	inGroup bool // the match is the first group of linear, which stands between look-around
	full    *regexp2.Regexp
	literals
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
	if text, inGroup, ok := translateRegex(source, strings.Contains(flags, "s"), byHand); ok && !strings.Contains(flags, "u") {
		if byHand {
			text = "(?" + strings.ReplaceAll(flags, "i", "") + ":" + text + ")"
		} else if flags != "" {
			text = "(?" + flags + ")" + text
		}
		if linear, err := regexp.Compile(text); err == nil {
			return &regex{linear: linear, inGroup: inGroup, literals: requiredLiterals(text)}, nil
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
	re := &regex{full: full}
	literal := plainLiteral(source)
	if anyCase {
		re.folded, literal = true, strings.ToLower(literal)
	}
	if literal != "" && (!anyCase || isASCII(literal)) {
		re.texts = []string{literal}
	}
	return re, nil
}

var leadingFlags = lazyregexp.New(`^\(\?([imsu]+)\)`)

// find returns the byte offsets of the first match and its groups, as package regexp
// does; nil if there is none.
func (re *regex) find(s string) ([]int, error) {
	if re.whole {
		return re.first(s), nil
	}
	if !re.mayMatch(s) {
		return nil, nil
	}
	if re.linear != nil {
		at := re.linear.FindStringSubmatchIndex(s)
		if re.inGroup && at != nil {
			at = at[2:]
		}
		return at, nil
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
// whether that can express it. What is to come before a match and after it becomes a part
// of it; the match itself is then the first group.
func translateRegex(source string, dotAll, anyCase bool) (text string, inGroup, ok bool) {
	behind, source, ahead := lookAround(source)
	var parts [3]string
	for i, part := range [...]string{behind, source, ahead} {
		if parts[i], ok = translatePart(part, dotAll, anyCase); !ok {
			return "", false, false
		}
	}
	if behind == "" && ahead == "" {
		return parts[1], false, true
	}
	if behind != "" && !hasFixedLength(parts[0]) { // the leftmost match may begin elsewhere
		return "", false, false
	}
	return parts[0] + "(" + parts[1] + ")" + parts[2], true, true
}

// lookAround splits an expression with look-behind at its start or look-ahead at its end.
func lookAround(source string) (behind, between, ahead string) {
	last, inClass := -1, false // the last group that is not within another
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '|':
			return "", source, ""
		case c == '(':
			last = i
			i = closing(source, i)
		}
	}
	if rest, ok := strings.CutPrefix(source[max(last, 0):], "(?="); ok && closing(source, last) == len(source)-1 {
		ahead, source = strings.TrimSuffix(rest, ")"), source[:last]
	}
	if end := closing(source, 0); strings.HasPrefix(source, "(?<=") && end < len(source) && !repeated(source[end+1:]) {
		behind, source = source[len("(?<="):end], source[end+1:]
	}
	return behind, source, ahead
}

// hasFixedLength reports whether an expression in the syntax of package regexp has no
// choices and no groups, and matches as many characters everywhere.
func hasFixedLength(text string) bool {
	tree, err := syntax.Parse(text, syntax.Perl)
	return err == nil && !slices.ContainsFunc(append(tree.Sub, tree), func(x *syntax.Regexp) bool {
		return x.Op != syntax.OpLiteral && x.Op != syntax.OpCharClass && (x.Op != syntax.OpConcat || x != tree)
	})
}

// translatePart translates what has no look-around. With anyCase each letter of ASCII
// becomes both of its cases: without regard to case, package regexp takes the Kelvin sign
// for a k and the long s for an s, which JavaScript does not.
func translatePart(source string, dotAll, anyCase bool) (string, bool) {
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
