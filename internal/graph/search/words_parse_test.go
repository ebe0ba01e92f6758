package search

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// String returns an expression as a query, with all operators and parentheses.
func (e *expression) String() string {
	if e == nil {
		return ""
	}
	var parts []string
	for _, p := range e.parts {
		parts = append(parts, p.String())
	}
	switch e.op {
	case isNot:
		return "-" + parts[0]
	case isAnd:
		return "(" + strings.Join(parts, " AND ") + ")"
	case isOr:
		return "(" + strings.Join(parts, " OR ") + ")"
	case isTerm:
	}
	return e.term.String()
}

func (t *term) String() string {
	star := map[bool]string{true: "*"}
	switch t.field {
	case byKey:
		name := map[string]string{tagKey: "tag", folderKey: "folder", hasKey: "has"}[t.key[:1]]
		if t.prefix {
			return name + ":" + t.key[1:] + "*" // it has no blanks
		}
		return fmt.Sprintf("%s:%s", name, quoted(t.key[1:]))
	case byTime:
		name := map[bool]string{true: "created", false: "updated"}[t.created]
		return fmt.Sprintf("%s:%d-%d", name, t.from, t.to)
	case inText, inTitle:
	}
	var words []string
	for _, w := range t.tokens {
		words = append(words, w.text+star[w.prefix])
	}
	text := strings.Join(words, "-")
	if t.quoted {
		text = quoted(text)
	}
	if t.field == inTitle {
		return "title:" + text
	}
	return text
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

func TestParseWordQuery(t *testing.T) {
	for query, want := range map[string]string{
		"a OR b c":              `(a OR (b AND c))`,
		"a AND b OR c":          `((a AND b) OR c)`,
		"(a OR b) c":            `((a OR b) AND c)`,
		"-a b":                  `(-a AND b)`,
		"-a OR b":               `(-a OR b)`,
		"- a":                   `a`,
		"a - b":                 `(a AND b)`,
		"a-b":                   `a-b`,
		"--a":                   `--a`,
		"-(a OR b)":             `-(a OR b)`,
		"-AND a":                `a`,
		"a or b and c":          `(a AND or AND b AND and AND c)`,
		"AND OR a AND":          `a`,
		"((a":                   `a`,
		"a))) b":                `(a AND b)`,
		"() ( ) a":              `a`,
		`"a b`:                  `"a-b"`,
		`"say \"a\" \\ b"`:      `"say-a-b"`,
		`"" a`:                  `a`,
		"title:a TITLE:\"b c\"": `(title:a AND title:"b-c")`,
		"title: a":              `a`,
		"title:(a b)":           `(a AND b)`,
		"tag:#Tea":              `tag:"tea"`,
		"tag:[[In Progress]]":   `(tag:"[[in" AND progress)`,
		"folder:/A/b/":          `folder:"a/b"`,
		"foo:bar":               `foo-bar`,
		"https://a.b/c?d":       `https-a-b-c-d`,
		"has:links":             `has-links`,
		"has:Link":              `has:"link"`,
		"updated:soon":          `updated-soon`,
		"updated:2024-13":       `updated-2024-13`,
		"updated:>2024-01":      `updated:1706745600000-4611686018427387904`,
		"created:<=2024-01-15":  `created:1-1705363200000`,
		"*":                     ``,
		"c++ *":                 `c`,
		"a*b":                   `a-b`,
		"-":                     ``,
		"-!!!":                  ``,
		"":                      ``,
	} {
		t.Run(query, func(t *testing.T) {
			q, err := ParseWordQuery(query)
			if got := q.root.String(); got != want || err != nil || q.Empty() != (want == "") {
				t.Errorf("it is %s, want %s, %v", got, want, err)
			}
		})
	}
}

func TestLimitsOfAQuery(t *testing.T) {
	for name, tc := range map[string]struct {
		query string
		want  error
	}{
		"1,000 characters":       {strings.Repeat("ä", 1000), nil},
		"1,001 characters":       {strings.Repeat("a", 1001), ErrLong},
		"64 terms":               {strings.Repeat("a ", 64), nil},
		"65 terms":               {strings.Repeat("a ", 65), ErrTerms},
		"16 levels":              {strings.Repeat("(", 16) + "a", nil},
		"17 levels":              {strings.Repeat("(", 17) + "a", ErrDeep},
		"17 levels of exclusion": {strings.Repeat("-", 17) + "a", ErrDeep},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseWordQuery(tc.query); !errors.Is(err, tc.want) {
				t.Errorf("error %v, want %v", err, tc.want)
			}
		})
	}
}
