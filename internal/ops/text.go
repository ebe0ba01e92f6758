package ops

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// StoredText returns the text that Roam stores for a block whose text was copied
// from a read, but for its previews: see outline.StoredText. Text that was cut when
// it was read is TRUNCATED_SOURCE, several blocks are
// outline.ErrSeveralBlocks.
func StoredText(asRead string) (string, error) {
	text, err := outline.StoredText(asRead)
	if err == outline.ErrTruncated {
		return "", &problem.Error{
			Code:    CodeTruncatedSource,
			Message: "The text was cut when it was read; writing it back would lose the rest.",
			Hint:    problem.Say("Read the whole block with %s, then send its full text.", problem.ReadBlock),
			Next:    problem.ReadBlock,
		}
	}
	return text, err
}

// judgeCreated decides whether Markdown was written from what was created in the
// target since then; a row is a uid and a text.
func judgeCreated(rows [][]any, markdown string) (Applied, string) {
	if len(rows) == 0 {
		return No, "Nothing was created at the target since the call."
	}
	wanted := firstLine(markdown)
	similar := !mayReadDifferently(wanted)
	letters := lettersOf(wanted)
	for _, row := range rows {
		if len(row) != 2 {
			return Unknown, "Roam's answer to a query is not understood."
		}
		text, _ := row[1].(string)
		first, _, _ := strings.Cut(text, "\n")
		if text == wanted || similar && lettersOf(first) == letters {
			return Yes, fmt.Sprintf("The block was created (uid %s).", textsafe.Quote(fmt.Sprint(row[0])))
		}
	}
	for _, row := range rows {
		if text, _ := row[1].(string); !similar || strings.Contains(lettersOf(text), letters) {
			return Unknown, fmt.Sprintf("%d blocks were created at the target since the call, none with exactly this text.", len(rows))
		}
	}
	return No, fmt.Sprintf("%d blocks were created at the target since the call, but none with this text.", len(rows))
}

// firstLine returns the text of the first block that Markdown makes.
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

// lettersOf returns what stays of a text where Roam writes its markup in another way.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// mayReadDifferently reports whether the letters of a first line of Markdown may
// be others than those of the block that it makes: tables, code, entities, tags,
// numbers that may be taken as a list's.
func mayReadDifferently(line string) bool {
	return lettersOf(line) == "" || strings.ContainsAny(line, "&<|\\") || strings.HasPrefix(line, "```") || unicode.IsDigit(rune(line[0]))
}

// readsAsWritten reports whether a text reads back exactly as it was written: it
// has no markup that Roam would render.
func readsAsWritten(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" .,;:!?'\"/-", r)
	}) < 0 && !strings.HasPrefix(s, "- ")
}

// dailyNoteDate is the form in which Roam names a daily note: "03-17-2026".
const dailyNoteDate = "01-02-2006"

// DayTitle returns the title of a day's daily note: "March 17th, 2026". The day is
// in Roam's form, as ParseDay returns it.
func DayTitle(day string) string {
	date, err := time.Parse(dailyNoteDate, day)
	if err != nil {
		return day
	}
	return outline.DailyTitle(date)
}

// ParseDay turns what an agent calls a day (note.ParseDay) into Roam's form, MM-DD-YYYY.
// A day that does not exist is an error, whose text says what is wanted.
func ParseDay(s string, now time.Time) (string, error) {
	if day, ok := note.ParseDay(s, now); ok {
		return outline.DailyUID(day), nil
	}
	return "", errors.New("an existing day as MM-DD-YYYY or YYYY-MM-DD, or today, yesterday, tomorrow")
}

// Day returns the day that lies offset days after now in Roam's form, which is a
// daily note's uid as well. It counts from the local date, not from the moment:
// daylight saving and midnight can't shift it.
func Day(now time.Time, offset int) string {
	year, month, date := now.Date()
	return time.Date(year, month, date+offset, 12, 0, 0, 0, time.UTC).Format(dailyNoteDate)
}
