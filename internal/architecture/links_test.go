package architecture

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"roam-mcp/internal/testutil/require"
)

// TestLinks checks that the relative links and pictures of the pages lead somewhere, with
// the headings that they name.
func TestLinks(t *testing.T) {
	checked, complaints, err := checkLinks(os.DirFS("../.."))
	require.NoError(t, err)
	for _, complaint := range complaints {
		t.Error(complaint)
	}
	t.Logf("%d links", checked)
	if checked < 50 {
		t.Errorf("only %d links were found", checked)
	}
}

var (
	// link is the target of a link or a picture, in Markdown or in HTML.
	link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"`)
	// codeOfPage is what has no links in it.
	codeOfPage = regexp.MustCompile("(?ms)^ *```.*?^ *```|`[^`\n]+`")
)

// checkLinks returns how many links the pages of root have, and a sentence for each that
// leads nowhere.
func checkLinks(root fs.FS) (checked int, complaints []string, err error) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			return 0, nil, err
		}
		for _, name := range names {
			page, err := fs.ReadFile(root, name)
			if err != nil {
				return 0, nil, err
			}
			for _, found := range link.FindAllStringSubmatch(codeOfPage.ReplaceAllString(string(page), ""), -1) {
				target := found[1] + found[2]
				if strings.Contains(target, ":") {
					continue // it has a scheme
				}
				checked++
				if why := leadsNowhere(root, name, target); why != "" {
					complaints = append(complaints, fmt.Sprintf("%s: %s: %s", name, target, why))
				}
			}
		}
	}
	return checked, complaints, nil
}

// leadsNowhere returns what a relative link of a page lacks, "" if nothing.
func leadsNowhere(root fs.FS, page, target string) string {
	file, anchor, _ := strings.Cut(target, "#")
	at := page
	if file != "" {
		at = path.Join(path.Dir(page), file)
	}
	text, err := fs.ReadFile(root, at)
	if anchor == "" {
		if _, err := fs.Stat(root, at); err != nil {
			return "there is no " + at
		}
		return ""
	}
	if err != nil {
		return "there is no page " + at
	}
	if !anchorsOf(string(text))[anchor] {
		return at + " has no such heading"
	}
	return ""
}

// anchorsOf returns the anchors that GitHub gives the headings of a page.
func anchorsOf(page string) map[string]bool {
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ +(.+?) *$`).FindAllStringSubmatch(page, -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, link.ReplaceAllString(heading[1], "]"))
		again := anchor
		for n := 1; anchors[again]; n++ {
			again = fmt.Sprintf("%s-%d", anchor, n)
		}
		anchors[again] = true
	}
	return anchors
}

// The README is one page: it tells enough, and not more than a stranger reads.
func TestTheReadmeIsOnePage(t *testing.T) {
	const least, most = 800, 950
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	switch words := wordsOf(string(text)); {
	case words > most:
		t.Errorf("README.md has %d words, %d too many", words, words-most)
	case words < least:
		t.Errorf("README.md has %d words, %d too few", words, least-words)
	}
}

// wordsOf counts the words of a page, those that describe pictures and those in code
// included, without targets of links and pictures.
func wordsOf(page string) (words int) {
	page = regexp.MustCompile(`<img [^>]*alt="([^"]*)"[^>]*>`).ReplaceAllString(page, "$1")
	page = regexp.MustCompile(`<[^>]+>`).ReplaceAllString(page, "")
	page = link.ReplaceAllString(page, "]")
	for _, word := range strings.Fields(page) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			words++
		}
	}
	return words
}
