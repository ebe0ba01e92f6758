package doctor

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/problem"
)

// clientEntries says what keeps the entries of clients from serving what they name.
func (p Ports) clientEntries(_ context.Context, facts *Facts) []Finding {
	var found []Finding
	add := func(status clients.Status, level Level, what, why string, todo problem.Hint) {
		found = append(found, Finding{Subject: status.Client.Name, Level: level, Found: what, Why: why, Todo: todo, Fix: showFile(status.Client.ID)})
	}
	for _, status := range facts.Clients {
		seen := map[string]string{}
		for _, entry := range status.Ours() {
			if !entry.Here {
				continue
			}
			facts.asked = append(facts.asked, entry.Gives.Graphs...)
			if entry.Disabled && status.State != clients.SwitchedOff {
				add(status, Note, "its entry "+entry.Name+" is switched off there", "", problem.Say("Switch it on in %s.", status.Client.Name))
			}
			if entry.Disabled {
				continue
			}
			p.graphsOf(facts, status, entry, add)
			if profile := entry.Gives.Profile; profile != "" && len(p.Profiles) > 0 && !slices.Contains(p.Profiles, profile) {
				add(status, Failed, fmt.Sprintf("its entry %s asks for the profile %s, which there is not", entry.Name, quoted(profile)), "The server that it starts ends at once.",
					problem.Say("Write the entry anew: %s", p.writeAnew(status.Client, entry, nil)))
			}
			if also := entry.Also(); also != "" {
				add(status, Note, "its entry "+entry.Name+" also has: "+also, "", problem.Say("What you have not put there yourself, take out of %s.", p.path(status.File)))
			}
			what := entry.URL + "\x00" + entry.Command + "\x00" + strings.Join(entry.Args, "\x00")
			if other, twice := seen[what]; twice {
				add(status, Note, fmt.Sprintf("its entries %s and %s start the same", other, entry.Name), "", problem.Say("Take one of them out: %s", takeOut(status, entry)))
			}
			seen[what] = entry.Name
		}
		if len(status.Beside) > 0 && len(status.Ours()) > 0 {
			add(status, Note, "Roam's official server ("+strings.Join(status.Beside, ", ")+") stands beside roam-mcp", "", problem.Say("Agents see the tools of both; take one out if that confuses them."))
		}
	}
	if len(found) == 0 && len(facts.Clients) > 0 {
		return []Finding{{Level: OK, Found: "they name what there is"}}
	}
	return found
}

// graphsOf tells of the graphs that an entry names and that are not there, beside others
// that are.
func (p Ports) graphsOf(facts *Facts, status clients.Status, entry clients.Entry, add func(clients.Status, Level, string, string, problem.Hint)) {
	served := entry.Served
	if len(served) == 0 && status.State == clients.NoGraph {
		return // that is said of the client
	}
	for _, nickname := range entry.Missing {
		todo := problem.Say("Connect that graph, or write the entry without it: %s", p.writeAnew(status.Client, entry, served))
		if len(served) == 0 {
			todo = problem.Say("Connect that graph, or take the entry out: %s", takeOut(status, entry))
		}
		if _, there := facts.Config.Find(nickname); there {
			todo = problem.Say("Let agents reach it: %s", problem.Run("enable", nickname))
		}
		add(status, Failed, fmt.Sprintf("its entry %s asks for the graph %s, which is not connected or is disabled", entry.Name, quoted(nickname)), "The server that it starts has no such graph to serve.", todo)
	}
}

// writeAnew returns the command that writes an entry as it is, with other graphs where some
// are given.
func (p Ports) writeAnew(client clients.Client, entry clients.Entry, graphs []string) problem.Command {
	command := problem.Run("install", client.ID)
	with := func(flag, value string) { command = command.With(flag, value) }
	if entry.Gives.Profile != "" && slices.Contains(p.Profiles, entry.Gives.Profile) {
		with("--profile", entry.Gives.Profile)
	}
	if usual := usualName(entry.Gives.Profile, p.Sandbox); entry.Name != usual {
		with("--entry", entry.Name)
	}
	if graphs == nil {
		graphs = entry.Gives.Graphs
	}
	for _, nickname := range graphs {
		with("--graph", nickname)
	}
	if entry.Gives.ReadOnly {
		command = command.With("--read-only")
	}
	if len(entry.Gives.Toolsets) > 0 {
		with("--toolsets", strings.Join(entry.Gives.Toolsets, ","))
	}
	if entry.Gives.APIVersion != "" {
		with("--api-version", entry.Gives.APIVersion)
	}
	return command
}

// usualName is what install calls an entry.
func usualName(profile string, sandbox bool) string {
	name := "roam"
	if sandbox {
		name = "roam-sandbox"
	}
	if profile != "" {
		name += "-" + profile
	}
	return name
}

// takeOut returns the command that takes one entry out.
func takeOut(status clients.Status, entry clients.Entry) problem.Command {
	return problem.Run("uninstall", status.Client.ID).With("--entry", entry.Name)
}

// hostOf returns the host and port of an address.
func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return address
	}
	return parsed.Host
}
