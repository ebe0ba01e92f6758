package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/netutil"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

// IDs of the checks of Roam.
const (
	idSandbox  = "sandbox"
	idPortFile = "port-file"
	idListener = "listener"
	idLocalAPI = "local-api"
	idVersion  = "api-version"
	idGraphs   = "graphs"
)

// sandbox says that this is not the world of the real graphs, and how those are connected.
func (p Ports) sandbox(context.Context, *Facts) []Finding {
	return []Finding{{Level: Note, Found: "all that follows is of the sandbox, a Roam to try things with; no graph of yours is in it",
		Todo: problem.Say("To connect your own graphs: %s", problem.Run("").Anywhere())}}
}

// portFile looks at the file in which Roam says where it listens.
func (p Ports) portFile(context.Context, *Facts) []Finding {
	path := p.path(p.PortFile.Path)
	port, err := p.PortFile.Read()
	switch _, missing := os.Stat(p.PortFile.Path); {
	case err == nil:
		return []Finding{{Level: OK, Found: fmt.Sprintf("%s says %d", path, port)}}
	case errors.Is(missing, os.ErrNotExist) && !p.PortFile.Strict:
		return []Finding{{Level: Note, Found: fmt.Sprintf("%s is not there, so %d is tried", path, port)}}
	case errors.Is(missing, os.ErrNotExist):
		return []Finding{{Level: Failed, Found: path + " is not there", Why: "Nobody knows where the sandbox listens.", Todo: problem.Say("Start it: %s", problem.Run("sandbox").Anywhere())}}
	}
	f := Finding{Level: Warning, Found: path + ": " + err.Error(), Why: fmt.Sprintf("Port %d is tried instead, where Roam may not be.", port), Todo: problem.Say("Restart %s, which writes the file anew. If something else is in the place of the file, move that away first.", problem.Roam)}
	if p.PortFile.Strict {
		f.Level, f.Why = Failed, "Nobody knows where the sandbox listens."
	}
	return []Finding{f}
}

// listener asks whoever listens for the graphs, and says who that is.
func (p Ports) listener(ctx context.Context, facts *Facts) []Finding {
	started := p.now()
	facts.Roam = p.Graphs.LookAtRoam(ctx)
	if e, ok := problem.AsCall(facts.Roam.Err); ok && e.Code == localapi.CodeConnectionFailed && e.Sent() {
		facts.Roam = p.Graphs.LookAtRoam(ctx) // it may have restarted meanwhile
	}
	facts.Took = p.now().Sub(started)
	roam, err := facts.Roam, facts.Roam.Err
	if err == nil || problem.CodeOf(err) == localapi.CodeDisabled {
		return []Finding{{Level: OK, Found: fmt.Sprintf("answers on %s in %s", roam.Address, shortly(facts.Took))}}
	}
	told := problem.FromError(err)
	f := Finding{Level: Failed, Found: told.Message, Why: "Agents can't reach any graph.", Todo: told.Hint, Details: detailsOf(told)}
	if p.OpenRoam != nil && !p.Sandbox {
		f.Fix = &Fix{Label: "open Roam", Done: "Roam was asked to start.", Do: p.OpenRoam, Go: Target{Place: OpenRoam}}
	}
	if holder, known := p.holder(ctx, roam); known {
		f.Found += " It is " + holder.String() + "."
		f.Fix = nil // Roam may be there already; the port is not its own
		f.Todo = problem.Say("If %s is running, restart it: it takes another port and writes that down.", problem.Roam).Then("If it is not, start it.")
	}
	return []Finding{f}
}

// holder returns the process on Roam's port where something else than Roam answers there.
func (p Ports) holder(ctx context.Context, roam manage.RoamStatus) (netutil.Listener, bool) {
	if problem.CodeOf(roam.Err) == localapi.CodeConnectionFailed && !problem.FromError(roam.Err).Sent() {
		return netutil.Listener{}, false // nobody listens
	}
	_, port, err := net.SplitHostPort(roam.Address)
	number, bad := strconv.Atoi(port)
	if err != nil || bad != nil {
		return netutil.Listener{}, false
	}
	return netutil.ListenerOn(ctx, number)
}

// localAPI says whether Roam's switch for other programs is on.
func (p Ports) localAPI(_ context.Context, facts *Facts) []Finding {
	if facts.Roam.Err == nil {
		return []Finding{{Level: OK, Found: "is on"}}
	}
	told := problem.FromError(facts.Roam.Err)
	return []Finding{{Level: Failed, Found: told.Message, Why: "Roam refuses every call of an agent.", Todo: told.Hint, Details: detailsOf(told)}}
}

// version compares the version of the Local API that Roam says it has with the one that
// is expected of it for each graph. It alone tells of that: a call that Roam would refuse
// for it is not made.
func (p Ports) version(_ context.Context, facts *Facts) (found []Finding) {
	roam := facts.Roam.Version
	if roam == "" {
		return []Finding{{Level: Note, Found: "this build of Roam does not say which it has; a call shows"}}
	}
	enabled := facts.Config.Enabled()
	facts.refusing = make(map[localapi.Graph]bool)
	var usual []string // nicknames of the graphs for which the configuration says nothing
	for _, entry := range enabled {
		if localapi.Compatible(roam, cmp.Or(entry.APIVersion, localapi.APIVersion)) {
			continue
		}
		facts.refusing[entry.Graph()] = true
		if entry.APIVersion == "" {
			usual = append(usual, entry.Nickname)
			continue
		}
		found = append(found, Finding{Level: Failed, Found: fmt.Sprintf("Roam has %s, and the configuration expects %s for %s", roam, entry.APIVersion, entry.Nickname), Why: "Roam refuses every call on that graph.",
			Todo: problem.Say("Take \"apiVersion\" out of its entry in %s.", p.path(p.Graphs.Path())), Fix: &Fix{Label: "open it in an editor", Go: Target{Place: EditConfig}}})
	}
	if len(usual) > 0 || len(enabled) == 0 && !localapi.Compatible(roam, localapi.APIVersion) {
		found = append(found, Finding{Level: Failed, Found: fmt.Sprintf("Roam has %s, and roam-mcp expects %s", roam, localapi.APIVersion), Todo: p.otherVersion(roam), Why: "Roam refuses every call" + on(usual) + "."})
	}
	if len(found) == 0 {
		return []Finding{{Level: OK, Found: roam}}
	}
	return found
}

// on names the graphs that something is so on; nothing for none.
func on(nicknames []string) string {
	if len(nicknames) == 0 {
		return ""
	}
	return " on " + strings.Join(nicknames, ", ")
}

// otherVersion says what to do where Roam has another version of the Local API than
// roam-mcp is made for.
func (p Ports) otherVersion(roam string) problem.Hint {
	return localapi.VersionAdvice(roam, localapi.APIVersion).
		Then("To use it as it is, at your own risk, put \"apiVersion\": \"%s\" into the entry of the graph in %s.", localapi.AnyVersion, p.path(p.Graphs.Path()))
}

// graphs says which graphs Roam lists.
func (p Ports) graphs(_ context.Context, facts *Facts) []Finding {
	roam := facts.Roam
	found := fmt.Sprintf("%d open, %d available", len(roam.Open), len(roam.Available))
	if len(roam.Listing.Graphs()) == 0 {
		return []Finding{{Level: Warning, Found: "Roam lists none", Why: "Only graphs that Roam has can be connected.", Todo: problem.Say("Sign in to %s, or make a graph there.", problem.Roam)}}
	}
	return []Finding{{Level: OK, Found: found}}
}

// detailsOf returns what a helper would ask for of an error.
func detailsOf(e *problem.Error) []problem.Detail {
	details := []problem.Detail{{Name: "code", Value: string(e.Code)}}
	add := func(name string, value any, there bool) {
		if there {
			details = append(details, problem.Detail{Name: name, Value: value})
		}
	}
	add("status", e.Status(), e.Status() != 0)
	add("call", e.Action(), e.Action() != "")
	if e.Call != nil {
		add("text", localapi.Redact(e.Call.Text), e.Call.Text != "")
		add("api", e.Call.APIVersion, e.Call.APIVersion != "")
	}
	if e.Place != nil {
		add("line", e.Place.Line, e.Place.Line != 0)
		add("column", e.Place.Column, e.Place.Column != 0)
	}
	return details
}
