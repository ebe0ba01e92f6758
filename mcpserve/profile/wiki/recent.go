package wiki

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// recentNotes answers recent_notes.
func recentNotes(ctx context.Context, c surface.Call) (surface.Reply, error) {
	given := strings.TrimSpace(c.Args().Text("since"))
	since, err := parseSince(c, given)
	if err != nil {
		return surface.Reply{}, err
	}
	view, err := c.Mirror(ctx, mirror.Texts)
	if err != nil {
		return surface.Reply{}, err
	}
	notes, err := everyNote(ctx, view)
	if err != nil {
		return surface.Reply{}, err
	}
	all := slices.DeleteFunc(slices.Clone(notes), func(l listed) bool { return given != "" && l.updated <= since })
	slices.SortFunc(all, newestFirst)
	all = all[:min(len(all), c.Args().Number("offset", 0)+c.Args().Number("limit", defaultRecent))]
	l := listing{head: "Recent notes:\n\n", gap: "\n"}
	if given != "" {
		l.head = "Notes updated since " + textsafe.Line(given, 80) + ":\n\n"
	}
	for _, each := range all {
		l.add("", each.recent(given == ""))
	}
	switch {
	case len(all) == 0 && given != "":
		return surface.Reply{Text: "No notes updated since " + textsafe.Line(given, 80)}, nil
	case len(all) == 0:
		return surface.Reply{Text: "No notes yet."}, nil
	}
	return l.reply(c, len(all)), nil
}

// recent returns a note as an entry of recent_notes.
func (l listed) recent(tags bool) string {
	entry := fmt.Sprintf("- **%s** (%s)\n", textsafe.Title(l.title), textsafe.Title(l.path))
	if l.updated != 0 {
		entry += "  Updated: " + stamp(l.updated) + "\n"
	}
	if tags && l.tags != "" {
		entry += "  Tags: " + l.tags + "\n"
	}
	return entry
}

// ago is a time that lies back from now, such as 90m, 2h, 7d or 1w.
var ago = lazyregexp.New(`^(\d{1,5}) ?([mhdw])$`)

// parseSince reads a time in ISO 8601, one that lies back from now, or the start of a day,
// in ms since 1970. One without a zone is in that of the machine.
func parseSince(c surface.Call, text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, c.Now().Location()); err == nil {
			return at.UnixMilli(), nil
		}
	}
	if back := ago.FindStringSubmatch(strings.ToLower(text)); back != nil {
		units := map[string]time.Duration{"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
		n, err := strconv.Atoi(back[1])
		return c.Now().Add(-time.Duration(n) * units[back[2]]).UnixMilli(), err
	}
	if day, ok := note.ParseDay(text, c.Now()); ok {
		return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, c.Now().Location()).UnixMilli(), nil
	}
	return 0, surface.Invalid(c.ToolName(), "since is %s; it takes a time such as 2024-01-15T10:30:00Z, 2h, 7d, or a day such as today.", textsafe.Quote(text))
}
