package mcpserve

import (
	"fmt"
	"strings"
	"unicode"
)

// judgeRows decides from what was created in the target since the write was
// sent; a row is a uid and a text.
func (s *Server) judgeRows(rows [][]any, markdown string) (applied, string) {
	if len(rows) == 0 {
		return appliedNo, "Nothing was created at the target since the call."
	}
	wanted := firstLine(markdown)
	if decoded, err := s.marks.decode("", wanted); err == nil {
		wanted = decoded
	}
	similar := !tellsNothing(wanted)
	letters := lettersOf(wanted)
	for _, row := range rows {
		if len(row) != 2 {
			return appliedUnknown, "Roam's answer to a query is not understood."
		}
		text, _ := row[1].(string)
		first, _, _ := strings.Cut(text, "\n")
		if text == wanted || similar && lettersOf(first) == letters {
			return appliedYes, fmt.Sprintf("The block was created (uid %s).", quote(fmt.Sprint(row[0])))
		}
	}
	for _, row := range rows {
		if text, _ := row[1].(string); !similar || strings.Contains(lettersOf(text), letters) {
			return appliedUnknown, fmt.Sprintf("%d blocks were created at the target since the call, none with exactly this text.", len(rows))
		}
	}
	return appliedNo, fmt.Sprintf("%d blocks were created at the target since the call, but none with this text.", len(rows))
}

// firstLine is the text of the first block that Markdown makes.
func firstLine(markdown string) string {
	for line := range strings.Lines(markdown) {
		if line = strings.TrimSpace(line); line != "" {
			for _, bullet := range []string{"- ", "* ", "+ "} {
				line = strings.TrimPrefix(line, bullet)
			}
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// lettersOf is what stays of a text where Roam writes its markup in another way.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// tellsNothing reports whether the letters of a first line of Markdown may be
// others than those of the block that it makes: tables, code, entities, tags,
// numbers that may be taken as a list's.
func tellsNothing(line string) bool {
	return lettersOf(line) == "" || strings.ContainsAny(line, "&<|\\") || strings.HasPrefix(line, "```") || unicode.IsDigit(rune(line[0]))
}

// plain reports whether a text reads back exactly as it was written: it has no
// markup that Roam would render.
func plain(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .,;:!?'\"/-", r)
	}) < 0 && !strings.HasPrefix(s, "- ")
}
