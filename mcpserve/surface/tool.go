package surface

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/journal/versions"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
)

// Scope is what a token must permit for a tool (LOCAL_API.md 1.4).
type Scope string

// The scopes there are.
const (
	ScopeNone   Scope = "" // reads the configuration only
	ScopeRead   Scope = "read"
	ScopeAppend Scope = "append"
	ScopeEdit   Scope = "edit"
	ScopeSetup  Scope = "setup" // changes the configuration, and no graph
)

// ScopesOf returns what an access level permits; nil where the level is unknown.
func ScopesOf(level localapi.AccessLevel) []Scope {
	switch {
	case level.CanEdit():
		return []Scope{ScopeRead, ScopeAppend, ScopeEdit}
	case level.CanAppend():
		return []Scope{ScopeRead, ScopeAppend}
	case level.Known():
		return []Scope{ScopeRead}
	}
	return nil
}

// Effects are the four hints that every tool carries. Clients gate or drop tools
// that lack one of them, so none is left to a default.
type Effects struct {
	ReadOnly    bool
	Destructive bool
	Idempotent  bool
	OpenWorld   bool
}

// The sets of hints, as LOCAL_API.md 3.1 assigns them.
func Reads() Effects   { return Effects{ReadOnly: true, Idempotent: true} }
func Appends() Effects { return Effects{} }
func Edits() Effects   { return Effects{Destructive: true, Idempotent: true} }
func Deletes() Effects { return Effects{Destructive: true} }

// Shows are the hints of what changes Roam's windows and nothing in a graph.
func Shows() Effects { return Effects{Idempotent: true} }

// Tool is one entry of a profile: all that is known of it, in one value.
type Tool struct {
	Name  string
	Title string
	// Description is what a model reads: one to three plain sentences. Other tools
	// are named in it by their tasks.
	Description problem.Hint
	Toolset     string
	// Task is what the tool does, for texts that name it. The tools of a profile
	// have different ones.
	Task    problem.Task
	Effects Effects
	Scope   Scope
	Params  []Param
	// Output are the fields of a write's reply that are worth a word in the list;
	// the schema is open. They may only ever be added to, since clients check
	// replies against lists they have cached. nil: no output schema.
	Output []Param
	// OnGraph: the tool works on a graph, and takes graph and ticket where the
	// graph has to be chosen.
	OnGraph bool
	// Choosing: the tool is about choosing a graph, and offered only where there
	// is something to choose.
	Choosing bool
	// ListedAs is the task of the tool that is listed in its place, and named by texts, since
	// it does the same and more. The tool itself is called all the same; empty: it is listed.
	ListedAs problem.Task
	// Diagnoses: the tool tells how things stand (Call.Standing), and is run also where
	// no graph can be chosen.
	Diagnoses bool
	// Unseen: what the tool writes may be hidden from agents, so that neither notes nor errors
	// say which blocks were written.
	Unseen bool
	// Run answers a call. It is nil for the tasks that the server itself does: see runners of
	// mcpserve.
	Run Handler
	// Cuts are tried in turn on a reply that is too long, until it fits.
	Cuts []Cut
	// Explain adds to an error of Roam what is true of this tool; nil: nothing.
	Explain func(*problem.Error) *problem.Error
}

// Handler runs a tool.
type Handler func(ctx context.Context, c Call) (Reply, error)

// Reply is what a tool answers.
type Reply struct {
	// JSON is an object, or any value where the profile's style is Bare.
	JSON json.RawMessage
	// Text is the answer of a profile whose style is Prose. It is made of Parts that stay
	// whole, and Shorter returns it with as many of them, from the first, as are kept, and
	// with what says how to get the others.
	Text    string
	Parts   int
	Shorter func(kept int) string
	// Note is what is said beside the answer, in a text of its own; empty: nothing.
	Note string
	// Total is the number of elements there are of an array in JSON, counted from the
	// first whatever the argument offset was; 0: no more than are in it.
	Total  int
	Images []Image // shown beside the text
	// Shows are the notes of which the reply shows content, so that what is sent back can
	// be told from it.
	Shows []Showing
	// Passage is a text of which JSON, in a profile whose style is Bare, shows a part; nil:
	// none.
	Passage *Passage
}

// Image is a picture that a model can look at.
type Image struct {
	Data      []byte
	MediaType string
}

// Writes reports whether the tool changes a graph.
func (t *Tool) Writes() bool { return t.Scope == ScopeAppend || t.Scope == ScopeEdit }

// NeedsTicket reports whether the tool needs a ticket where several graphs are
// enabled.
func (t *Tool) NeedsTicket() bool { return t.OnGraph && t.Writes() }

// Takes reports whether the tool has a parameter.
func (t *Tool) Takes(name string) bool {
	return slices.ContainsFunc(t.Params, func(p Param) bool { return p.Name == name })
}

// Param returns the parameter with a name, of the tool or of the objects that it takes. It is
// without all else where there is none.
func (t *Tool) Param(name string) Param {
	params := slices.Clone(t.Params)
	for _, p := range t.Params {
		params = append(params, p.Fields...)
	}
	p, _ := findParam(params, name)
	return p
}

// The parameters that choose a graph, on every tool that works on one.
const (
	ParamGraph  = "graph"
	ParamTicket = "ticket"
)

// ParamMaxTokens is the parameter of reading tools with which a model that has
// little room asks for a shorter reply.
const ParamMaxTokens = "maxTokens"

// ParamDryRun is the parameter of writing tools with which nothing is sent, and the reply says
// what would be done.
const ParamDryRun = "dryRun"

// Choice is how a call chooses the graph that it works on.
type Choice int

// The choices there are.
const (
	ChooseAtWill     Choice = iota // it is the only one: graph and ticket are taken and not listed
	ChooseWithTicket               // graph or ticket names it
	ChooseNothing                  // it is the only one, and neither is a parameter
)

// AllParams returns the tool's own parameters, and where there are several graphs those
// that choose one, which the instructions describe once for all tools. What reads takes a
// ticket too, and its list does not say so.
func (t *Tool) AllParams(choice Choice) []Param {
	params := t.Params[:len(t.Params):len(t.Params)]
	if !t.OnGraph || choice != ChooseWithTicket {
		return params
	}
	params = append(params, Param{Name: ParamGraph, Kind: String})
	if t.NeedsTicket() {
		params = append(params, Param{Name: ParamTicket, Kind: String})
	}
	return params
}

// Parse repairs and checks the arguments of a call.
func (t *Tool) Parse(raw json.RawMessage, choice Choice) (Arguments, error) {
	hidden := []Param{ // n8n adds these to every call
		{Name: "sessionId", Kind: Ignored}, {Name: "action", Kind: Ignored}, {Name: "chatInput", Kind: Ignored}, {Name: "toolCallId", Kind: Ignored},
	}
	if t.OnGraph && choice != ChooseNothing { // a client's cached list may still show them
		hidden = append(hidden, Param{Name: ParamGraph, Kind: String}, Param{Name: ParamTicket, Kind: String})
	}
	return ParseArguments(t.Name, raw, t.AllParams(choice), hidden)
}

// definition is the tool as tools/list shows it.
func (t *Tool) definition(choice Choice, world problem.World, verbatim bool) *mcp.Tool {
	destructive, openWorld := t.Effects.Destructive, t.Effects.OpenWorld
	definition := &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title,
		Description: world.Say(t.Description),
		InputSchema: inputSchema(t.AllParams(choice), world, verbatim),
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:    t.Effects.ReadOnly,
			DestructiveHint: &destructive,
			IdempotentHint:  t.Effects.Idempotent,
			OpenWorldHint:   &openWorld,
		},
	}
	if t.Output != nil {
		definition.OutputSchema = outputSchema(t.Output, world)
	}
	return definition
}

// JSON makes a Handler of a function that returns JSON alone.
func JSON(run func(context.Context, Call) (json.RawMessage, error)) Handler {
	return func(ctx context.Context, c Call) (Reply, error) {
		reply, err := run(ctx, c)
		return Reply{JSON: reply}, err
	}
}

// Call is one call of a tool, or one reading of a resource, as its handler sees
// it: checked arguments, and the graph it works on.
type Call interface {
	Args() Arguments
	// ToolName returns the name of the tool that is called.
	ToolName() string
	// Graph returns the graph that the call works on. Its operations tell the client
	// that they wait, and open Roam where they may.
	Graph() *ops.Graph
	// Shown returns what the connection was shown of that graph.
	Shown() shown.Graph
	// World says hints with the names of the tools that are offered now.
	World() problem.World
	Now() time.Time
	// Mirror returns the graph as it is now, from memory: what is not there yet is read
	// from Roam, and the client told of it. A profile without Mirrors asks for links alone.
	// Its errors are to be passed on.
	Mirror(ctx context.Context, need mirror.Need) (*mirror.View, error)
	// Versions returns those of the notes in the graph. It is never nil.
	Versions() *versions.Store
	// NewUID returns a uid for a new page or block, as Roam makes them.
	NewUID() (string, error)
	// Standing finds out how things stand with the graph of the call. It neither opens
	// Roam nor waits for it. fresh asks Roam now; otherwise what it has said of the token
	// within the last minute will do.
	Standing(ctx context.Context, fresh bool) Standing
	// Progress tells the client how far the call is, where it asked to be told.
	Progress(text string)
	// MaxReply is how many tokens a reply may have.
	MaxReply() int
	// Guidelines reads the graph's guidelines; empty where it has none.
	Guidelines(ctx context.Context) (string, error)
}
