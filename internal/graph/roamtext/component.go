package roamtext

import "strings"

// Component returns the name and the argument of a component, and whether it has
// an argument: query and {and: [[A]]} for "{{[[query]]: {and: [[A]]}}}", TODO and
// none for "{{[[TODO]]}}".
func (s Span) Component(text string) (name, argument string, ok bool) {
	if s.Kind != Component {
		return "", "", false
	}
	inside := strings.TrimSpace(s.Content(text))
	head, rest := inside, ""
	if title, after, linked := strings.Cut(strings.TrimPrefix(inside, "[["), "]]"); linked && strings.HasPrefix(inside, "[[") {
		if head, rest = title, strings.TrimSpace(after); rest != "" && rest[0] != ':' {
			return inside, "", false
		}
		ok = rest != ""
		rest = strings.TrimPrefix(rest, ":")
	} else {
		head, rest, ok = strings.Cut(inside, ":")
	}
	return strings.TrimSpace(head), strings.TrimSpace(rest), ok
}

// FindComponent returns the argument of the first component with a name, in any
// case, and with an argument whose braces come in pairs.
func FindComponent(text, name string) (argument string, ok bool) {
	if !strings.Contains(text, "{{") {
		return "", false
	}
	for _, span := range Spans(text) {
		if found, argument, ok := span.Component(text); ok && strings.EqualFold(found, name) && balanced(argument) {
			return argument, true
		}
	}
	return "", false
}

// balanced reports whether braces come in pairs.
func balanced(text string) bool {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
