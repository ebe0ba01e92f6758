package outline

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/lazyregexp"
)

const uidAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"

// NewUID makes a uid as Roam does: 9 characters of A-Z, a-z, 0-9, _ and -
// (LOCAL_API.md 9.2). It fails only where random does.
func NewUID(random io.Reader) (string, error) {
	var b [9]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make a uid: %w", err)
	}
	for i := range b {
		b[i] = uidAlphabet[b[i]%64]
	}
	return string(b[:]), nil
}

var dailyTitle = lazyregexp.New(`^(January|February|March|April|May|June|July|August|September|October|November|December) (\d{1,2})(st|nd|rd|th), (\d{4})$`)

// DailyTitle is the title of a day's daily note: "March 17th, 2026".
func DailyTitle(day time.Time) string {
	d := day.Day()
	return fmt.Sprintf("%s %d%s, %04d", day.Month(), d, ordinal(d), day.Year())
}

// DailyUID is the uid of a day's daily note: "03-17-2026".
func DailyUID(day time.Time) string { return day.Format("01-02-2006") }

func ordinal(d int) string {
	if d/10 != 1 {
		switch d % 10 {
		case 1:
			return "st"
		case 2:
			return "nd"
		case 3:
			return "rd"
		}
	}
	return "th"
}

// ParseDailyTitle gives the day of a daily note's title, midnight UTC, and
// false for any other title, a day that does not exist or a wrong suffix
// included.
func ParseDailyTitle(title string) (time.Time, bool) {
	m := dailyTitle.FindStringSubmatch(title)
	if m == nil {
		return time.Time{}, false
	}
	day, err := time.Parse("January 2 2006", strings.Join([]string{m[1], m[2], m[4]}, " "))
	return day, err == nil && DailyTitle(day) == title
}

// ParseDailyUID gives the day of a daily note's uid, midnight UTC.
func ParseDailyUID(uid string) (time.Time, bool) {
	day, err := time.Parse("01-02-2006", uid)
	return day, err == nil && DailyUID(day) == uid
}

// DailyUIDOf converts a daily note's title to its uid.
func DailyUIDOf(title string) (string, bool) {
	day, ok := ParseDailyTitle(title)
	if !ok {
		return "", false
	}
	return DailyUID(day), true
}

// quoted is for messages: long texts are cut.
func quoted(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
