package notes

import (
	"slices"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
)

// The property lines that hold what Memento keeps beside a note's content. They are
// direct children of the page, or of the block of a quick note.
const (
	propLabels     = note.TagsName
	propColor      = "Color"
	propPinned     = "Pinned"
	propArchived   = "Archived"
	propType       = "Note type"
	propReminder   = "Reminder"
	propDone       = "Reminder done"
	propRecurrence = "Reminder repeats"
	propLocation   = "Reminder place"
	propSize       = "Size"
)

// properties are the names of the property lines, in the order in which new ones stand.
func properties() []string {
	return []string{propLabels, propColor, propPinned, propArchived, propType, propReminder, propDone, propRecurrence, propLocation, propSize}
}

// sizes are those that a note can have. The first is that of a note without one.
func sizes() []string { return []string{"small", "medium", "large"} }

// isFree reports whether a property has any text as its value, so that its line can't be
// told from one of the user. Such a line is content, and its value is read too.
func isFree(name string) bool { return name == propRecurrence || name == propLocation }

// property reads a line of one of properties, whatever its value is.
func property(text string) (name, value string, ok bool) {
	name, value, ok = note.SplitProperty(text)
	if !ok {
		return "", "", false
	}
	at := slices.IndexFunc(properties(), func(each string) bool { return strings.EqualFold(each, name) })
	if at < 0 {
		return "", "", false
	}
	return properties()[at], value, true
}

// holds reports whether the value of a property is one that can stand for itself, as this
// profile writes it (profiles/notes.md, "Property lines"). The line of any other is
// the user's, and content. location is where days begin.
func holds(name, value string, location *time.Location) bool {
	switch name {
	case propLabels:
		return note.DeclaresTags(line(name, value))
	case propColor:
		return slices.Contains(colors(), value)
	case propPinned, propArchived, propDone:
		return value == whether(true) || value == unset(name)
	case propType:
		return value == typeText || value == typeChecklist
	case propReminder:
		_, ok := reminderTime(value, location)
		return ok
	case propSize:
		return slices.Contains(sizes(), value)
	}
	return false
}

// unset returns the value of a property that says what a note without its line is; empty
// for one that has none.
func unset(name string) string {
	switch name {
	case propColor:
		return colors()[0]
	case propPinned, propArchived, propDone:
		return "false"
	}
	return ""
}

// reminderTime reads the time of a reminder: "[[January 20th, 2024]] 14:00", a day alone,
// or a time in ISO 8601.
func reminderTime(value string, location *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, value, location); err == nil {
			return at, true
		}
	}
	title, clock, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(value, "#"), "[["), "]]")
	day, ok := outline.ParseDailyTitle(title)
	if !ok {
		return time.Time{}, false
	}
	at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, location)
	clock = strings.ToLower(strings.ReplaceAll(clock, " ", ""))
	for _, layout := range []string{"15:04", "15:04:05", "3:04pm", "3pm"} {
		if of, err := time.Parse(layout, clock); err == nil {
			return at.Add(of.Sub(of.Truncate(24 * time.Hour))), true
		}
	}
	return at, clock == ""
}
