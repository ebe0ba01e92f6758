package ops

import (
	"errors"
	"strings"
	"time"
)

// dailyNoteDate is the form in which Roam names a daily note: "03-17-2026".
const dailyNoteDate = "01-02-2006"

// ParseDay turns what an agent calls a day into Roam's form: MM-DD-YYYY, an ISO
// date, or today, yesterday, tomorrow as the machine's calendar has them. A day
// that does not exist is an error, whose text says what is wanted.
func ParseDay(s string, now time.Time) (string, error) {
	word := strings.ToLower(strings.TrimSpace(s))
	switch word {
	case "today":
		return Day(now, 0), nil
	case "yesterday":
		return Day(now, -1), nil
	case "tomorrow":
		return Day(now, 1), nil
	}
	for _, layout := range []string{dailyNoteDate, time.DateOnly} {
		if date, err := time.Parse(layout, word); err == nil {
			return date.Format(dailyNoteDate), nil
		}
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
