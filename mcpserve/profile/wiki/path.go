package wiki

import (
	"strings"
	"time"
	"unicode"

	"roam-mcp/graphdb/outline"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
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

// pathOf returns the path of the page with a title.
func pathOf(title string) string {
	if day, ok := outline.ParseDailyTitle(title); ok {
		return dailyFolder + day.Format(time.DateOnly)
	}
	return title
}

// lastPart returns what stands behind the last / of a path.
func lastPart(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
