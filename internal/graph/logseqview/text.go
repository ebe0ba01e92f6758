package logseqview

import (
	"strconv"
	"strings"
	"unicode"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/roamtext"
	"roam-mcp/internal/lazyregexp"
)

// isMarker reports whether a word at the start of a text makes it a task in Logseq.
func isMarker(word string) bool {
	switch word {
	case "TODO", "DOING", "DONE", "NOW", "LATER", "WAIT", "WAITING", "CANCELED", "CANCELLED", "STARTED", "IN-PROGRESS":
		return true
	}
	return false
}

// readTask returns the marker and the priority of a text, empty where it has none. A
// marker is the name of a component, as in {{[[TODO]]}}, or the first word, as Logseq
// writes it.
func readTask(text string) (marker, priority string) {
	rest := text
	if word, after, ok := strings.Cut(text, " "); ok && isMarker(word) {
		marker, rest = word, after
	} else if strings.Contains(text, "{{") {
		for _, span := range roamtext.Spans(text) {
			if span.Kind != roamtext.Component {
				continue
			}
			if name, _, _ := span.Component(text); isMarker(name) {
				if marker = name; span.Start == 0 {
					rest = text[span.End:]
				}
				break
			}
		}
	}
	rest = strings.TrimLeft(rest, " ")
	if len(rest) > 3 && rest[:2] == "[#" && rest[3] == ']' && rest[2] >= 'A' && rest[2] <= 'Z' {
		priority = rest[2:3]
	}
	return marker, priority
}

// planned matches Logseq's lines with the day on which a task is to be begun or done.
var planned = lazyregexp.New(`(?m)^\s*(SCHEDULED|DEADLINE): <(\d{4})-(\d{2})-(\d{2})\b`)

// readPlan returns the days for which a text is planned, as 20240115; 0: none.
func readPlan(text string) (scheduled, deadline int64) {
	if !strings.Contains(text, ": <") {
		return 0, 0
	}
	for _, m := range planned.FindAllStringSubmatch(text, -1) {
		day, _ := strconv.ParseInt(m[2]+m[3]+m[4], 10, 64)
		if m[1] == "SCHEDULED" {
			scheduled = day
		} else {
			deadline = day
		}
	}
	return scheduled, deadline
}

// Keys of properties whose values are pages.
const (
	keyTags  edn.Keyword = ":tags"
	keyAlias edn.Keyword = ":alias"
)

// property is a property as Logseq reads it.
type property struct {
	key    edn.Keyword
	value  any      // string, int64, bool, or edn.Set of titles
	titles []string // of tags and alias
}

// readProperty reads the text of a property line. It reports false for another text,
// for one without a value, and for a name that Logseq does not take.
func readProperty(text string) (property, bool) {
	name, value, ok := note.SplitProperty(text)
	if !ok || value == "" {
		return property{}, false
	}
	p := property{key: propertyKey(name)}
	switch p.key {
	case "":
		return p, false
	case keyTags, keyAlias:
		p.titles = note.ListedTags(value) // which splits at commas, too
		p.value = setOf(p.titles)
	default:
		p.value = propertyValue(value)
	}
	return p, true
}

// propertyKey returns the key of a property as Logseq has it: in lower case, with hyphens
// for blanks and underscores; empty for a name that it does not take.
func propertyKey(name string) edn.Keyword {
	key := strings.Map(func(r rune) rune {
		switch {
		case r == ' ', r == '_':
			return '-'
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), strings.ContainsRune(".*+!-?$%&=<>", r):
			return unicode.ToLower(r)
		}
		return unicode.ReplacementChar
	}, strings.TrimSpace(name))
	if key == "" || unicode.IsDigit([]rune(key)[0]) || strings.ContainsRune(key, unicode.ReplacementChar) {
		return ""
	}
	return edn.Keyword(":" + key)
}

// propertyValue returns the value of a property as Logseq reads it: the titles that the
// text refers to, as a set, or a whole number, or a boolean, or the text.
func propertyValue(text string) any {
	if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
		return text
	}
	var titles []string
	if strings.ContainsAny(text, "[#") {
		for _, m := range note.Mentions(text) {
			if m.Kind == note.Link || m.Kind == note.Tag {
				titles = append(titles, m.Title)
			}
		}
	}
	switch {
	case len(titles) > 0:
		return setOf(titles)
	case text == "true", text == "false":
		return text == "true"
	}
	const digits = 15 // which a number of JavaScript holds
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text[0] != '+' && text[0] != '-' && len(text) <= digits {
		return n
	}
	return text
}

func setOf(titles []string) edn.Set {
	set := edn.Set{}
	seen := map[string]bool{}
	for _, title := range titles {
		if !seen[title] {
			seen[title] = true
			set = append(set, title)
		}
	}
	return set
}

// opaque returns properties as the value of Properties.
func opaque(properties *edn.Map) graphdb.Value {
	return graphdb.OpaqueValue(graphdb.Opaque(strings.ToValidUTF8(edn.Print(properties), "\uFFFD")))
}
