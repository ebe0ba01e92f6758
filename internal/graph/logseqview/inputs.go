package logseqview

import (
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/graph/edn"
	"roam-mcp/internal/lazyregexp"
)

// offset matches the inputs of Logseq that are a day, or a moment of one, counted from
// today: -7d, +2w-ms, today-start, -1m-1830, and 7d, 7d-before, 7d-after-ms of before.
var (
	offset = lazyregexp.New(`^(?:today|([+-])(\d{1,5})([dwmy]))(?:-(ms|start|end|[0-2]\d[0-5]\d(?:[0-5]\d(?:\d{3})?)?))?$`)
	legacy = lazyregexp.New(`^(\d{1,5})d(?:-(before|after))?(-ms)?$`)
)

// resolveInput returns the value of an input: of a keyword such as :today and :7d-before a
// day as 20240115, or milliseconds; of a text [[Page]] the page's name. Other inputs
// are their own values. An input that needs a window of Logseq is an error.
func resolveInput(input any, now time.Time) (any, error) {
	switch x := input.(type) {
	case string:
		if strings.HasPrefix(x, "[[") && strings.HasSuffix(x, "]]") {
			return strings.ToLower(x[2 : len(x)-2]), nil
		}
		if strings.HasPrefix(x, ":") {
			if value, err := resolveInput(edn.Keyword(x), now); err != nil || value != edn.Keyword(x) {
				return value, err
			}
		}
	case edn.Keyword:
		return resolveKeyword(x, now)
	}
	return input, nil
}

func resolveKeyword(input edn.Keyword, now time.Time) (any, error) {
	name := strings.TrimPrefix(strings.TrimPrefix(string(input), ":"), "today/")
	year, month, day := now.Date()
	today := time.Date(year, month, day, 0, 0, 0, 0, now.Location())
	switch name {
	case "current-page", "query-page", "current-block", "parent-block":
		return nil, errorf("the input %s is what a window of Logseq shows, and there is none here; give the page's name in lower case, or the block's :db/id", input)
	case "yesterday":
		return DayNumber(today.AddDate(0, 0, -1)), nil
	case "tomorrow":
		return DayNumber(today.AddDate(0, 0, 1)), nil
	case "right-now-ms":
		return now.UnixMilli(), nil
	case "start-of-today-ms":
		name = "-0d-ms"
	case "end-of-today-ms":
		name = "+0d-ms"
	}
	if m := legacy.FindStringSubmatch(name); m != nil {
		sign := "-"
		if m[2] == "after" {
			sign = "+"
		}
		name = sign + m[1] + "d" + m[3]
	}
	m := offset.FindStringSubmatch(name)
	if m == nil {
		return input, nil
	}
	n, _ := strconv.Atoi(m[1] + m[2])
	return momentOf(move(today, n, m[3]), m[1], m[4]), nil
}

// move returns the day that is n days, weeks, months or years after another. A month
// without that day ends before it.
func move(day time.Time, n int, unit string) time.Time {
	switch unit {
	case "w":
		return day.AddDate(0, 0, 7*n)
	case "m", "y":
		if unit == "y" {
			n *= 12
		}
		first := day.AddDate(0, n, 1-day.Day())
		last := first.AddDate(0, 1, -1).Day()
		return first.AddDate(0, 0, min(day.Day(), last)-1)
	}
	return day.AddDate(0, 0, n)
}

// momentOf returns a day as a number, or the milliseconds of a time of it: ms is its
// start, or its end where it is counted forwards; others are start, end and 1830.
func momentOf(day time.Time, sign, clock string) int64 {
	year, month, date := day.Date()
	switch {
	case clock == "":
		return DayNumber(day)
	case clock == "end", clock == "ms" && sign == "+":
		date++
	case clock != "ms" && clock != "start":
		digits := clock + "000000000"[len(clock):]
		hour, _ := strconv.Atoi(digits[:2])
		minute, _ := strconv.Atoi(digits[2:4])
		second, _ := strconv.Atoi(digits[4:6])
		milli, _ := strconv.Atoi(digits[6:])
		return time.Date(year, month, date, hour, minute, second, milli*int(time.Millisecond), day.Location()).UnixMilli()
	}
	return time.Date(year, month, date, 0, 0, 0, 0, day.Location()).UnixMilli()
}
