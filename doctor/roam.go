package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"

	"roam-mcp/internal/listening"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/problem"
)

// IDs of the checks of Roam.
const (
	idPortFile = "port-file"
	idListener = "listener"
	idLocalAPI = "local-api"
	idGraphs   = "graphs"
)

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
		f := Finding{Level: OK, Found: fmt.Sprintf("answers on %s in %s", roam.Address, shortly(facts.Took))}
		if roam.Version != "" {
			f.Found += ", API " + roam.Version
		}
		return []Finding{f}
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
func (p Ports) holder(ctx context.Context, roam manage.RoamStatus) (listening.Process, bool) {
	if problem.CodeOf(roam.Err) == localapi.CodeConnectionFailed && !problem.FromError(roam.Err).Sent() {
		return listening.Process{}, false // nobody listens
	}
	_, port, err := net.SplitHostPort(roam.Address)
	number, bad := strconv.Atoi(port)
	if err != nil || bad != nil {
		return listening.Process{}, false
	}
	return listening.On(ctx, number)
}

// localAPI says whether Roam's switch for other programs is on.
func (p Ports) localAPI(_ context.Context, facts *Facts) []Finding {
	if facts.Roam.Err == nil {
		return []Finding{{Level: OK, Found: "is on"}}
	}
	told := problem.FromError(facts.Roam.Err)
	return []Finding{{Level: Failed, Found: told.Message, Why: "Roam refuses every call of an agent.", Todo: told.Hint, Details: detailsOf(told)}}
}

// graphs says which graphs Roam lists.
func (p Ports) graphs(_ context.Context, facts *Facts) []Finding {
	roam := facts.Roam
	found := fmt.Sprintf("%d open, %d available", len(roam.Open), len(roam.Available))
	switch {
	case roam.Partial:
		return []Finding{{Level: Note, Found: fmt.Sprintf("%d open; this build of Roam does not list the others", len(roam.Open))}}
	case len(roam.Listing.Graphs()) == 0:
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
