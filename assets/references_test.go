package assets_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	code           = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	attribute      = regexp.MustCompile(`^([^:\[\]{}()\n]+)::`)
	plainTag       = regexp.MustCompile(`(?:^|\s)#([^\s\[#]+)`)
	blockReference = regexp.MustCompile(`\(\(([A-Za-z0-9_-]+)\)\)`)
)

// pageReferences lists the pages that a block's text or a page's title refers
// to (LOCAL_API.md 9.3). It takes all up to the next white space as a plain
// tag's name, so a tag in the graphs stands apart from punctuation.
func pageReferences(text string) []string {
	text = code.ReplaceAllString(text, "")
	pages := bracketed(text)
	for _, tag := range plainTag.FindAllStringSubmatch(text, -1) {
		pages = append(pages, tag[1])
	}
	if found := attribute.FindStringSubmatch(text); found != nil {
		pages = append(pages, found[1])
	}
	return pages
}

// bracketed lists every [[X]], with those nested in its name after it.
func bracketed(text string) []string {
	var pages []string
	for {
		start := strings.Index(text, "[[")
		if start < 0 {
			return pages
		}
		name, rest, closed := cutBrackets(text[start+2:])
		if !closed {
			return append(pages, "unclosed [["+text[start+2:])
		}
		pages = append(pages, name)
		pages = append(pages, bracketed(name)...)
		text = rest
	}
}

// cutBrackets splits what follows a [[ around the ]] that belongs to it.
func cutBrackets(text string) (name, rest string, closed bool) {
	open := 1
	for at := 0; at+1 < len(text); {
		switch text[at : at+2] {
		case "[[":
			open, at = open+1, at+2
		case "]]":
			if open--; open == 0 {
				return text[:at], text[at+2:], true
			}
			at += 2
		default:
			at++
		}
	}
	return "", "", false
}

// blockReferences lists the uids that a block's text refers to.
func blockReferences(text string) []string {
	var uids []string
	for _, found := range blockReference.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
		uids = append(uids, found[1])
	}
	return uids
}

func TestPageReferences(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"a link", "see [[A b]], and [[C]]", []string{"A b", "C"}},
		{"a nested link names both pages", "[[[[A]] b]]", []string{"[[A]] b", "A"}},
		{"an alias", "[words]([[A]])", []string{"A"}},
		{"tags of both forms", "#[[A b]] x #.c", []string{"A b", ".c"}},
		{"an attribute only at the start", "Author:: x Status:: y", []string{"Author"}},
		{"a component", "{{[[table]]}}", []string{"table"}},
		{"none in code", "`#A` ```\n[[B]] # c``` `C::`", nil},
		{"none in an address", "[x](https://example.org/#a)", nil},
		{"a link left open is no page", "x [[A", []string{"unclosed [[A"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := pageReferences(test.text); !slices.Equal(got, test.want) {
				t.Errorf("pageReferences(%q) = %q, want %q", test.text, got, test.want)
			}
		})
	}
}

func TestBlockReferences(t *testing.T) {
	text := "((a)) [x](((b_1))) {{embed: ((c-2))}} `((d))` (e)"
	if got, want := blockReferences(text), []string{"a", "b_1", "c-2"}; !slices.Equal(got, want) {
		t.Errorf("blockReferences(%q) = %q, want %q", text, got, want)
	}
}
