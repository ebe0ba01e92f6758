package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// Offer is what there is to import of the official tools' graphs.
type Offer struct {
	New, Present []Line // graphs that are not connected yet, and those that are
	Notes        []Line // what else there is to say
	Fresh        int    // graphs that an import would add
}

// Offer says what an import would bring. check returns what Roam said of an entry's token,
// and whether it was asked.
func (w Wording) Offer(config configstore.Config, entries []configstore.Entry, problems []configstore.Problem, err error, check func(configstore.Entry) (manage.Check, bool)) Offer {
	switch {
	case problem.CodeOf(err) == configstore.CodeConfigNotFound, errors.Is(err, fs.ErrNotExist):
		return Offer{Notes: []Line{{SignNone, "The official tools have no configuration here, so there is nothing to import."}}}
	case err != nil:
		return Offer{Notes: []Line{{SignFailed, w.Error(err)}}}
	case len(entries) == 0:
		return Offer{Notes: []Line{{SignNone, "The official tools have no graphs configured, so there is nothing to import."}}}
	}
	var o Offer
	for _, entry := range entries {
		text := fmt.Sprintf("%s  (%s, %s", entry.Nickname, entry.Name, entry.Type)
		if entry.AccessLevel != "" {
			text += ", " + entry.AccessLevel.Words()
		}
		text += ")"
		if _, connected := config.FindGraph(entry.Graph()); connected {
			o.Present = append(o.Present, Line{SignNone, text})
			continue
		}
		line := Line{SignOff, text}
		switch said, asked := check(entry); {
		case !asked:
		case said.Info.Status == localapi.TokenActive:
			line = Line{SignDone, text + ": its token works"}
		case said.Info.Status == localapi.TokenRevoked:
			line = Line{SignFailed, text + ": its token was revoked, so it is left out. Connect the graph anew."}
			o.Fresh--
		default:
			line = Line{SignWarning, text + ": its token could not be checked"}
		}
		o.Fresh++
		o.New = append(o.New, line)
	}
	for _, p := range problems {
		o.Notes = append(o.Notes, Line{SignWarning, kit.Sanitize(strings.TrimSpace(p.Message))})
	}
	return o
}

// Imported says what an import has brought.
func (w Wording) Imported(report configstore.ImportReport, err error) Offer {
	if err != nil {
		return Offer{Notes: []Line{{SignFailed, w.Error(err)}}}
	}
	var o Offer
	for _, added := range report.Added {
		text := "Added " + added.Entry.Nickname + "."
		if added.FormerNickname != "" {
			text = fmt.Sprintf("Added %s as %s, since that nickname could not be kept.", added.FormerNickname, added.Entry.Nickname)
		}
		o.New = append(o.New, Line{SignDone, text})
	}
	for _, skipped := range report.Skipped {
		o.New = append(o.New, Line{SignWarning, "Skipped " + kit.Sanitize(skipped.Entry.Nickname) + ": " + kit.Sanitize(skipped.Reason)})
	}
	for _, entry := range report.Present {
		o.Present = append(o.Present, Line{SignNone, entry.Nickname + " stays as it is."})
	}
	return o
}

// PresentHeading is the heading of the graphs of an import that are connected already.
const PresentHeading = "Connected already"
