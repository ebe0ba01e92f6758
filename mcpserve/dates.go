package mcpserve

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// dailyNoteDate is the form in which Roam names a daily note: "03-17-2026".
const dailyNoteDate = "01-02-2006"

// parseDay turns what an agent calls a day into Roam's form: MM-DD-YYYY, an ISO
// date, or today, yesterday, tomorrow as the machine's calendar has them. A day
// that does not exist is an error, whose text says what is wanted.
func parseDay(s string, now time.Time) (string, error) {
	word := strings.ToLower(strings.TrimSpace(s))
	switch word {
	case "today":
		return day(now, 0), nil
	case "yesterday":
		return day(now, -1), nil
	case "tomorrow":
		return day(now, 1), nil
	}
	for _, layout := range []string{dailyNoteDate, time.DateOnly} {
		if date, err := time.Parse(layout, word); err == nil {
			return date.Format(dailyNoteDate), nil
		}
	}
	return "", fmt.Errorf("an existing day as MM-DD-YYYY or YYYY-MM-DD, or today, yesterday, tomorrow")
}

// day counts from the local date, not from the moment: daylight saving and
// midnight can't shift it.
func day(now time.Time, offset int) string {
	year, month, date := now.Date()
	return time.Date(year, month, date+offset, 12, 0, 0, 0, time.UTC).Format(dailyNoteDate)
}

// The marks that Roam's reads put into text, and that must not be written back
// (LOCAL_API.md 9.6).
type marks struct {
	tag       *regexp.Regexp // the tag behind a block
	truncated *regexp.Regexp
	preview   *regexp.Regexp // what a reference shows
	bullet    *regexp.Regexp
}

func roamMarks() marks {
	return marks{
		tag:       regexp.MustCompile(`[ \t]*<roam(?:\s[^<>]*)?/>`),
		truncated: regexp.MustCompile(`<roam\s[^<>]*\btruncated="`),
		preview:   regexp.MustCompile(`(?s)(\(\([A-Za-z0-9_-]+\)\))<ref>.*?</ref>`),
		bullet:    regexp.MustCompile(`^[ \t]*- `),
	}
}

// decode turns a block as it was read into the text that is stored: without
// tag, leading bullet and previews. Text that was cut when it was read is
// refused with TRUNCATED_SOURCE, several blocks at once with INVALID_PARAMS.
func (m marks) decode(toolName, s string) (string, error) {
	if m.truncated.MatchString(s) {
		return "", &failure{
			Code:              CodeTruncatedSource,
			Message:           "The text was cut when it was read; writing it back would lose the rest.",
			Hint:              "Read the whole block with get_block, then send its full text.",
			SuggestedNextTool: "get_block",
		}
	}
	if len(m.tag.FindAllStringIndex(s, 2)) > 1 {
		return "", invalid(toolName, "string holds more than one block as read; send the text of this one block, and update its children by their own uids.")
	}
	s = m.tag.ReplaceAllString(s, "")
	s = m.bullet.ReplaceAllString(s, "")
	return m.preview.ReplaceAllString(s, "$1"), nil
}
