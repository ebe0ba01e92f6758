package roam

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/surface"
)

const (
	changedBlocks = 5   // of a page that are shown
	changedText   = 200 // characters of each
)

// changesTools tell what has changed.
func changesTools() []surface.Tool {
	return []surface.Tool{{
		Name: "recent_changes", Task: problem.ListRecent, Title: "Changes", Toolset: "read", Effects: surface.Reads(), Scope: surface.ScopeRead, OnGraph: true,
		Description: say("Lists pages by what was last created and changed on them, when and by whom."),
		Cuts:        cutResults(nextPage(problem.ListRecent, " with")),
		Params: []surface.Param{
			{Name: "since", Kind: surface.String, Default: "24h", About: say("2h, 7d, today, a day, an ISO time")},
			{Name: "until", Kind: surface.String, About: say("As since")},
			{Name: "page", Kind: surface.String, Title: true, Page: true, About: say("Only this page")},
			{Name: "by", Kind: surface.String, About: say("User")},
			offsetParam(), limitParam(),
		},
		Run: surface.JSON(recentChanges),
	}}
}

// changedPage is a page on which something has changed.
type changedPage struct {
	UID      string   `json:"uid"`
	Title    string   `json:"title"`
	New      bool     `json:"new,omitempty"`
	LastAt   string   `json:"lastAt"`
	By       []string `json:"by"`
	Created  int      `json:"created"`
	Changed  int      `json:"changed"`
	Markdown string   `json:"markdown"`
	More     int      `json:"more,omitempty"`
}

// recentChanges answers recent_changes.
func recentChanges(ctx context.Context, c surface.Call) (json.RawMessage, error) {
	asked := ops.Changing{By: unlessBlank(c, "by")}
	var err error
	if asked.Since, err = timeOf(c, "since", cmp.Or(unlessBlank(c, "since"), "24h"), 0); err != nil {
		return nil, err
	}
	if asked.Until, err = timeOf(c, "until", unlessBlank(c, "until"), 1); err != nil {
		return nil, err
	}
	if title := unlessBlank(c, "page"); title != "" {
		uids, err := c.Graph().UIDsOf(ctx, []string{title})
		if err != nil {
			return nil, err
		}
		if asked.Page = uids[title]; asked.Page == "" {
			return notThere(ctx, c, ops.PageRef{Title: title}).Append(rawjson.With("total", 0).With("results", []string{})).JSON(), nil
		}
	}
	pages, users, err := c.Graph().Changes(ctx, asked)
	if err != nil {
		return nil, err
	}
	part, next := window(c, pages)
	results, err := showChanges(ctx, c, part)
	reply := rawjson.With("since", asked.Since.UTC().Format(time.RFC3339))
	if !asked.Until.IsZero() {
		reply = reply.With("until", asked.Until.UTC().Format(time.RFC3339))
	}
	reply = reply.With("total", len(pages)).With("results", results)
	if next > 0 {
		reply = reply.With("nextOffset", next)
	}
	told := "Deleted blocks leave no time in Roam."
	if users != nil {
		for i := range users {
			users[i] = textsafe.Quote(users[i])
		}
		told = fmt.Sprintf("Nobody is called %s. Who has written here: %s.", textsafe.Quote(asked.By), strings.Join(users[:min(len(users), 20)], ", "))
	}
	return reply.With("note", told).JSON(), err
}

// showChanges returns pages with their newest blocks.
func showChanges(ctx context.Context, c surface.Call, pages []ops.ChangedPage) ([]changedPage, error) {
	var uids []string
	for _, page := range pages {
		uids = append(uids, page.UID)
		for _, block := range page.Blocks[:min(len(page.Blocks), changedBlocks)] {
			uids = append(uids, block.UID)
		}
	}
	texts, err := c.Graph().ReadTexts(ctx, uids)
	results := make([]changedPage, len(pages))
	for i, page := range pages {
		shown := page.Blocks[:min(len(page.Blocks), changedBlocks)]
		var lines []string
		for _, block := range shown {
			if n, there := texts[block.UID]; there && !n.Hidden { // it may be gone by now
				lines = append(lines, changedLine(c.Now(), n.Text, block))
			}
		}
		results[i] = changedPage{
			UID: page.UID, Title: texts[page.UID].Title, New: page.New, LastAt: time.UnixMilli(page.LastAt).UTC().Format(time.RFC3339),
			By: page.By, Created: page.Created, Changed: page.Changed, Markdown: strings.Join(lines, "\n"), More: len(page.Blocks) - len(shown),
		}
	}
	return results, err
}

// changedLine returns a block with who wrote it and when: the time of day where that was
// today.
func changedLine(now time.Time, text string, block *ops.ChangedBlock) string {
	at, tag := time.UnixMilli(block.At).In(now.Location()), ""
	layout := "2006-01-02 15:04"
	if at.Format(time.DateOnly) == now.Format(time.DateOnly) {
		layout = "15:04"
	}
	if block.New {
		tag = ` new="true"`
	}
	if runes := []rune(text); len(runes) > changedText {
		text, tag = string(runes[:changedText]), fmt.Sprintf(`%s truncated="%d"`, tag, len(runes)-changedText)
	}
	name := strings.NewReplacer(`"`, "'", "<", "(", ">", ")").Replace(textsafe.Line(block.By, 80)) // which stands in a tag
	return bullet(text, block.UID, fmt.Sprintf(` by="%s" at="%s"%s`, name, at.Format(layout), tag))
}

// timeOf returns the time that an argument means, of a day its start or so many days later;
// zero where there is none.
func timeOf(c surface.Call, name, said string, later int) (time.Time, error) {
	if said == "" {
		return time.Time{}, nil
	}
	at, isDay, ok := note.ParseTime(said, c.Now())
	if !ok {
		return at, surface.Invalid(c.ToolName(), "%s is %s; it takes 2h, 7d, today, a day, or a time such as 2026-01-15T10:30:00Z.", name, textsafe.Quote(said))
	}
	if isDay {
		at = at.AddDate(0, 0, later)
	}
	return at, nil
}
