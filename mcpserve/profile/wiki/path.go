package wiki

import (
	"cmp"
	"strings"
	"time"
	"unicode"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

// dailyFolder is the folder that daily notes are in: daily/2024-01-15.
const dailyFolder = "daily/"

// titleOf returns the title of the page that a new note at a path is. It refuses what is
// no path: one that is empty, has an empty part, a control character, [[ or ]].
func titleOf(path string) (string, error) {
	refuse := func(why string) error {
		return &problem.Error{Code: surface.CodeInvalidParams, Message: "path is not valid: " + why + ".", Hint: say("A path reads like projects/wiki-ai/ideas."), Retry: problem.RetryNever}
	}
	path = strings.TrimSpace(path)
	switch {
	case path == "":
		return "", refuse("it is empty")
	case strings.ContainsFunc(path, unicode.IsControl):
		return "", refuse("it has a control character in it")
	case strings.Contains(path, "[[") || strings.Contains(path, "]]"):
		return "", refuse("it has [[ or ]] in it")
	}
	for part := range strings.SplitSeq(path, "/") {
		if strings.TrimSpace(part) == "" {
			return "", refuse("it begins or ends with /, or has // in it")
		}
	}
	return dailyTitle(path), nil
}

// dailyTitle returns the title of a daily note for its path, and every other path as it
// is.
func dailyTitle(path string) string {
	day, daily := strings.CutPrefix(path, dailyFolder)
	if date, err := time.Parse(time.DateOnly, day); daily && err == nil {
		return outline.DailyTitle(date)
	}
	return path
}

// pathOf returns the path of a page, which names it and no other one: its title, or what
// stands for a title that would mean something else, or could not be read. A title that
// reads like a path of a daily note, a link or a uid, or has blanks at its ends, stands in
// brackets. For one with characters that are not shown the uid stands.
func pathOf(p note.Page) string {
	path := pathTitled(p.Title)
	if textsafe.Name(path) != path || note.BareTitle(path) != p.Title && path != p.Title && note.KindOfTitle(p.Title) != note.Daily {
		return "((" + p.UID + "))"
	}
	return path
}

// pathTitled returns the path of the page with a title, as far as the title says it.
func pathTitled(title string) string {
	if day, ok := outline.ParseDailyTitle(title); ok {
		return dailyFolder + day.Format(time.DateOnly)
	}
	isReference := strings.HasPrefix(title, "((") && strings.HasSuffix(title, "))")
	_, _, isAddress := note.ParseAddress(title)
	if strings.TrimSpace(title) != title || note.BareTitle(title) != title || isReference || isAddress || dailyTitle(title) != title {
		return "[[" + title + "]]"
	}
	return title
}

// titlePrinted returns the title of the only page that a path can mean, since it is what
// is printed for it; empty where that is not certain without a look.
func titlePrinted(path string) string {
	title := dailyTitle(path)
	if pathTitled(title) == path || note.KindOfTitle(path) == note.Daily {
		return title
	}
	return ""
}

// titleAt returns the title of the page that was at a path.
func titleAt(c surface.Call, path string) string {
	name := note.ParseName(path, c.Now())
	return cmp.Or(name.Inside(), name.Day(), strings.TrimSpace(path))
}

// pageOf returns a page by what names it.
func pageOf(n note.Node) note.Page { return note.Page{UID: n.UID, Title: n.Title} }

// lastPart returns what stands behind the last / of a path.
func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
