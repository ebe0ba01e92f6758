package configstore

import (
	"fmt"
	"strings"
	"unicode"

	"go.mau.fi/util/confusable"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// CheckProposedNickname is CheckNewNickname for a nickname that a person does not type:
// one that an agent chooses, or that a file brings. Such a nickname does not look like
// the nickname or the name of another graph. What looks alike is told by the confusables of Unicode
// (UTS 39), without regard to case, spaces and dashes: letters of other scripts and
// styles are seen through, similar shapes of a font, such as a picture of a letter,
// are not.
func (c Config) CheckProposedNickname(g localapi.Graph, nickname string) error {
	if err := c.CheckNewNickname(g, nickname); err != nil {
		return err
	}
	for _, e := range c.all() {
		if e.Graph() != g && (looksLike(e.Nickname, nickname) || looksLike(e.Name, nickname)) {
			return &problem.Error{
				Code:    CodeNicknameTaken,
				Message: fmt.Sprintf("The nickname %s looks like that of the graph %s (%s).", quoted(nickname), quoted(e.Name), e.Type),
				Hint:    problem.Say("Choose one that nobody takes for the other."),
			}
		}
	}
	return nil
}

// looksLike reports whether people may take one text for the other. The skeleton is
// made before and after the case is folded, since it tells some capitals only.
func looksLike(a, b string) bool {
	return appearance(a, true) == appearance(b, true) || appearance(a, false) == appearance(b, false)
}

func appearance(s string, foldFirst bool) string {
	s = strings.Map(func(r rune) rune {
		if textsafe.Invisible(r) || unicode.IsSpace(r) || unicode.In(r, unicode.Pd, unicode.Pc) {
			return -1
		}
		return r
	}, norm.NFKC.String(s))
	if foldFirst {
		return confusable.Skeleton(cases.Fold().String(s))
	}
	return cases.Fold().String(confusable.Skeleton(s))
}
