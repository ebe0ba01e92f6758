package wording

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// Offer is what there is to import of the official tools' graphs.
type Offer struct {
	Lines []Line
	Fresh int // graphs that are not connected yet
}

// Offer says what an import would bring.
func (w Wording) Offer(config configstore.Config, entries []configstore.Entry, problems []configstore.Problem, err error) Offer {
	switch {
	case problem.CodeOf(err) == configstore.CodeConfigNotFound, errors.Is(err, fs.ErrNotExist):
		return Offer{Lines: []Line{{SignNone, "The official tools have no configuration here, so there is nothing to import."}}}
	case err != nil:
		return Offer{Lines: []Line{{SignFailed, w.Error(err)}}}
	case len(entries) == 0:
		return Offer{Lines: []Line{{SignNone, "The official tools have no graphs configured, so there is nothing to import."}}}
	}
	var o Offer
	for _, entry := range entries {
		line := Line{SignOff, fmt.Sprintf("%s  (%s, %s", entry.Nickname, entry.Name, entry.Type)}
		if entry.AccessLevel != "" {
			line.Text += ", " + entry.AccessLevel.Words()
		}
		if _, connected := config.FindGraph(entry.Graph()); connected {
			line.Sign, line.Text = SignDone, line.Text+", connected already"
		} else {
			o.Fresh++
		}
		line.Text += ")"
		o.Lines = append(o.Lines, line)
	}
	for _, p := range problems {
		o.Lines = append(o.Lines, Line{SignWarning, kit.Sanitize(strings.TrimSpace(p.Message))})
	}
	return o
}

// Imported says what an import has brought.
func (w Wording) Imported(report configstore.ImportReport, err error) []Line {
	if err != nil {
		return []Line{{SignFailed, w.Error(err)}}
	}
	var lines []Line
	for _, added := range report.Added {
		text := "Added " + added.Entry.Nickname + "."
		if added.FormerNickname != "" {
			text = fmt.Sprintf("Added %s as %s, since that nickname could not be kept.", added.FormerNickname, added.Entry.Nickname)
		}
		lines = append(lines, Line{SignDone, text})
	}
	for _, entry := range report.Present {
		lines = append(lines, Line{SignNone, entry.Nickname + " is connected already and stays as it is."})
	}
	for _, skipped := range report.Skipped {
		lines = append(lines, Line{SignWarning, "Skipped " + kit.Sanitize(skipped.Entry.Nickname) + ": " + kit.Sanitize(skipped.Reason)})
	}
	return lines
}
