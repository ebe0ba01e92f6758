package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// Summary says in a few sentences what a graph is and what can be done with it.
func (w Wording) Summary(r *manage.Roster, g manage.Graph, now time.Time) []string {
	switch {
	case !g.Connected && r.ConfigUnreadable():
		return []string{"Roam lists it.", "Whether it is connected is not known before the configuration can be read."}
	case !g.Connected:
		first := "It is open in Roam."
		switch {
		case g.WithoutToken:
			first = "It is in the configuration as " + g.Entry.Nickname + ", without a token."
		case !g.Open:
			first = "Roam opens it when you connect it."
		}
		return []string{first, "enter connects it; Roam then asks you whether to allow that."}
	case g.Entry.Disabled:
		return []string{"Disabled: agents don't see it. D enables it.", w.Token(r, g.Entry, now)}
	case r.Revoked(g.Entry):
		return []string{"Agents can't use it before it has a new token.", w.Token(r, g.Entry, now)}
	}
	level := r.AccessLevel(g.Entry)
	access := "Access is " + level.Words() + "."
	if level.Known() {
		access = strings.ToUpper(level.Words()[:1]) + level.Words()[1:] + " access: agents can " + level.Explain() + "."
	}
	return []string{access, w.Token(r, g.Entry, now)}
}

// Token says what is known of an entry's token: its last four characters, and
// Roam's last answer about it.
func (w Wording) Token(r *manage.Roster, entry configstore.Entry, now time.Time) string {
	text := "Token " + entry.Token.Hint()
	check, known := r.Check(entry)
	switch {
	case r.Revoked(entry):
		return text + " was revoked in Roam. r asks for a new one."
	case !known:
		return text + "."
	case check.Info.Status == localapi.TokenActive:
		return text + ", checked " + kit.Ago(now.Sub(check.At)) + ", answered in " + kit.ShortDuration(check.Took) + "."
	}
	return strings.TrimSpace(text + " could not be checked. " + w.Error(check.Info.Reason))
}

// closes says which key closes the configuration to others.
const closes = "f closes it."

// Problems says what is the matter with the configuration.
func (w Wording) Problems(r *manage.Roster) []string {
	if r.ConfigErr != nil {
		out := []string{w.Error(r.ConfigErr)}
		if p, open := r.Config.ModeProblem(); open {
			out = append(out, kit.Sanitize(p.Message+" "+closes))
		}
		return out
	}
	const most = 2
	urgency := func(p configstore.Problem) int {
		if p.Code == configstore.CodeConfigModeOpen { // one that a key mends
			return 0
		}
		return 1
	}
	all := slices.SortedStableFunc(slices.Values(r.Config.Problems), func(a, b configstore.Problem) int {
		return cmp.Compare(urgency(a), urgency(b))
	})
	var out []string
	for i, p := range all {
		if i == most && len(all) > most+1 {
			return append(out, w.Todo(problem.Say("There are %s more in %s. To list them: %s", kit.Plural(len(all)-most, "problem"), w.ConfigPath(), problem.Run("graphs"))))
		}
		hint := w.Todo(p.Hint)
		if p.Code == configstore.CodeConfigModeOpen {
			hint = closes
		}
		out = append(out, strings.TrimSpace(kit.Sanitize(p.Message)+" "+hint))
	}
	return out
}

// Refusal says why a graph can't be connected, "" where it can.
func (w Wording) Refusal(r *manage.Roster, g manage.Graph) string {
	if g.Connected {
		return g.Name + " is connected already, as " + g.Entry.Nickname + "."
	}
	if r.ConfigErr != nil {
		return w.Error(r.ConfigErr)
	}
	entry, taken := manage.Conflict(r.Config, g.Graph)
	if !taken {
		return ""
	}
	return fmt.Sprintf("The %s graph of this name is connected as %s, and only one of the two can be. Remove that one first.", entry.Type, entry.Nickname)
}

// Renamed says that a graph has another nickname.
func (w Wording) Renamed(from, to string) string {
	return from + " is now " + to + ". Saved in " + w.ConfigPath() + "."
}

// DisabledText says that a graph is disabled now, or enabled.
func DisabledText(nickname string, disabled bool) string {
	if disabled {
		return nickname + " is disabled: agents can't reach it until you enable it."
	}
	return nickname + " is enabled: servers that run offer it at once."
}

// AllDisabledText is DisabledText for several graphs.
func AllDisabledText(nicknames []string, disabled bool) string {
	if disabled {
		return together(nicknames) + " are disabled: agents can't reach them until you enable them."
	}
	return together(nicknames) + " are enabled: servers that run offer them at once."
}

// together returns names as they are said: "Work, Lab and Old".
func together(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// Removal is what a person is asked before a graph is removed: the question, then
// what comes of it.
func (w Wording) Removal(entry configstore.Entry) []string {
	revoking := "in Roam until you revoke it there: Settings > Graph > Local API Tokens."
	if w.Sandbox {
		revoking = "in the sandbox until you type in its terminal: revoke " + entry.Name
	}
	return []string{
		"Remove " + entry.Nickname + " (" + entry.Name + ") from " + w.ConfigPath() + "?",
		"Agents lose it at once. Its token stays valid " + revoking,
		"u puts it back while this program runs.",
	}
}

// RemovalOfAll is Removal for several graphs.
func (w Wording) RemovalOfAll(nicknames []string) []string {
	revoking := "in Roam until you revoke them there: Settings > Graph > Local API Tokens."
	if w.Sandbox {
		revoking = "in the sandbox until you type in its terminal for each: revoke, and the graph's name."
	}
	return []string{
		"Remove " + together(nicknames) + " from " + w.ConfigPath() + "?",
		"Agents lose them at once. Their tokens stay valid " + revoking,
		"u puts one after another back while this program runs.",
	}
}

// AllRemovedText is RemovedText for several graphs.
func AllRemovedText(nicknames []string) string {
	return "Removed " + together(nicknames) + ". u puts one after another back."
}

// RemovedText says that a graph is removed.
func RemovedText(nickname string) string { return "Removed " + nickname + ". u puts it back." }

// PutBackText says that a removed graph is back.
func PutBackText(nickname string) string { return nickname + " is back." }

// NothingRemovedText says that no removal can be undone.
const NothingRemovedText = "Nothing was removed since the program started."
