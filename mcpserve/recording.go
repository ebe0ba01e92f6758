package mcpserve

import (
	"cmp"
	"context"
	"slices"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/surface"
)

// unknownAgent is who writes in the journal where nobody says who it is.
const unknownAgent = "unknown"

// toWrite has what the call writes to its graph recorded, and kept apart from what other calls
// write there.
func (c *call) toWrite(ctx context.Context) {
	var claims ops.Claims
	if c.record(ctx); c.recording != nil {
		c.graph, claims = c.graph.RecordedBy(c.recording), c.recording
	}
	c.graph = c.graph.HoldingFor(c.who().Agent, claims)
	if c.server.offering.profile.Style != surface.Labelled { // there a call makes one write, and tells what Roam says of it
		c.graph = c.graph.AllowPartial()
	}
}

// record begins to record what the call writes to its graph.
func (c *call) record(ctx context.Context) {
	s := c.server
	if s.recorder == nil {
		return
	}
	entry := c.target.entry
	c.recording = s.recorder.Call(recording.Call{
		Graph: entry.Graph(), Tool: c.tool.Name, Args: c.request.Params.Arguments, Keeps: c.keeps(),
		Who: c.who(), Adds: c.tool.Scope == surface.ScopeAppend, Restores: c.tool.Task == problem.RestoreVersion, Later: s.roam.Later(entry), Noted: c.seen.Noted,
	})
	// A tool that adds may read too what it holds, but in the labelled style, where it makes
	// one write.
	if c.dryRun() {
		return
	}
	if c.tool.Scope == surface.ScopeEdit || s.offering.profile.Style != surface.Labelled {
		c.recording.Reads(ctx)
	}
}

// dryRun reports whether the call only asks what it would do.
func (c *call) dryRun() bool { return c.args.Flag(surface.ParamDryRun, false) }

// keeps returns what the user says about the texts of the graph.
func (c *call) keeps() recording.Keeping {
	return map[configstore.Switch]recording.Keeping{configstore.On: recording.All, configstore.Off: recording.NoTexts}[c.view.config.TextsOf(c.target.entry)]
}

// Versions implements surface.Call.
func (c *call) Versions() *versions.Store {
	c.versioning.Do(func() {
		s, entry := c.server, c.target.entry
		options := versions.Options{
			Journal: s.options.Journal, Graph: history.Graph{Name: entry.Name, Type: string(entry.Graph().Type)},
			Who: c.who(), Began: c.began, Now: s.now, Off: c.versionsOff, Log: s.log,
		}
		if c.seen != nil {
			options.Recorded = c.seen.NotedVersion
		}
		c.versions = versions.New(options)
	})
	return c.versions
}

// versionsOff reports whether no texts of the graph are kept, and so no versions, and why.
func (c *call) versionsOff(ctx context.Context) (why problem.Hint, off bool) {
	entry, keeps := c.target.entry, c.keeps()
	kept, encryption := c.server.recorder.KeepsTexts(ctx, entry.Graph(), keeps, c.server.roam.Later(entry))
	if kept {
		return problem.Hint{}, false
	}
	switch {
	case encryption == localapi.Encrypted:
		why = problem.Say("%s says that the graph is encrypted, so the history keeps none of its texts.", problem.Roam)
	case keeps == recording.Unsaid:
		why = problem.Say("%s does not say whether the graph is encrypted, so the history keeps none of its texts.", problem.Roam)
	case c.view.config.History.Texts == configstore.Off:
		return problem.Say("The history keeps no texts. The user can change that: %s", problem.Run("history on")), true
	default:
		why = problem.Say("The history keeps no texts of this graph.")
	}
	return why.Then("The user can change that: %s", problem.Run("history on").With("--graph", entry.Nickname)), true
}

// who returns who calls. A name that a client gives itself is not believed, only shown.
func (c *call) who() history.Who {
	who := history.Who{}
	if c.request == nil { // a resource is read
		who.Agent = cmp.Or(c.server.options.Agent, unknownAgent)
		return who
	}
	who.Era = c.request.ProtocolVersion()
	if info := c.request.ClientInfo(); info != nil {
		who.Client, who.Version = activity.DisplayName(info.Name), activity.DisplayName(info.Version)
	}
	if c.session != nil {
		who.Connection = c.session.name
	}
	who.Agent = cmp.Or(c.server.options.Agent, who.Client, unknownAgent)
	return who
}

// recordStop records that a call which would have written was stopped, by the user or
// by a rule of theirs, before it sent anything.
func (c *call) recordStop(ctx context.Context, code problem.Code) {
	if c.server.recorder == nil || !slices.Contains([]problem.Code{CodeWritesPaused, ops.CodeGuidelinesProtected, ops.CodeCodeProtected, ops.CodeBusy, recording.CodeBeingWritten, recording.CodeTooLargeToKeep}, code) {
		return
	}
	if c.recording == nil {
		if !c.namesGraph() {
			return
		}
		c.record(ctx)
	}
	if c.dryRun() {
		return
	}
	c.recording.Stopped(ctx, code)
}

// namesGraph chooses the graph of a call that is refused before that, and reports
// whether there is one.
func (c *call) namesGraph() bool {
	var err error
	if c.args, err = c.server.offering.profile.Parse(c.tool, c.request.Params.Arguments, c.view.choosing()); err != nil {
		return false
	}
	c.target, err = c.server.chooseGraph(c)
	return err == nil
}

// sayUnrecorded adds to a reply that what it wrote is not in the journal.
func (c replyWriter) sayUnrecorded(reply surface.Reply) surface.Reply {
	if c.server.offering.profile.Style == surface.Labelled && rawjson.IsObject(reply.JSON) {
		reply.JSON = rawjson.Parse(reply.JSON).With("recorded", false).JSON()
		return reply
	}
	reply.Note = joinNotes(reply.Note, "It was written, but could not be recorded in the history.")
	return reply
}
