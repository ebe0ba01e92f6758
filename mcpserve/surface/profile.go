// Package surface says what a tool, a parameter, a toolset and a profile are: how
// they are listed, how arguments are checked and repaired, how a reply is cut and
// how an error is said.
//
// It knows no graph, and no tool by name but those of graphs.go and history.go. Texts name
// tools by their tasks; a profile gives each task its tool.
//
// What every profile has alike is here too, with the same names, texts and schemas: the tools that
// choose a graph, read its guidelines and connect graphs, those for an agent's own changes, and
// the resources of each graph. The server runs the tools.
package surface

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/textsafe"
)

// The codes of this package's errors (TOOLS.md, "Errors of our own").
const (
	CodeInvalidParams  problem.Code = "INVALID_PARAMS"
	CodeReplyTooLarge  problem.Code = "REPLY_TOO_LARGE"
	CodeUnknownToolset problem.Code = "UNKNOWN_TOOLSET"

	// Of what the server lets nobody do, whatever the arguments are:
	CodeReadOnly       problem.Code = "READ_ONLY"
	CodeWritesPaused   problem.Code = "WRITES_PAUSED"
	CodeToolNotOffered problem.Code = "TOOL_NOT_OFFERED"
)

// Profile is a complete tool surface. Within it, toolsets are switched on at
// start, never by a call: the tool list must not change as a side effect of one.
type Profile struct {
	Name     string
	About    string
	Toolsets []Toolset
	Tools    []Tool
	Style    Style
	// Verbatim profiles have the tools of a document that their clients were written
	// for: schemas have its order of keywords, and where one graph is enabled no tool
	// takes graph or ticket.
	Verbatim bool
	// Mirrors: its tools read mirrors of whole graphs, with all texts (Call.Mirror), so the server
	// takes much memory.
	Mirrors bool
	// Fail makes the answer to a call that failed; nil: a result with {"error": {…}}
	// (TOOLS.md, "Errors of our own"). What is wrong with the choice of a graph, with
	// tickets or with the configuration is told in that form by every profile.
	Fail FailureForm
	// ShowsTexts: replies show blocks with their uids, and what of a block was shown is
	// compared before it gets another text.
	ShowsTexts bool
	// Explain adds to the error of a call what is true of its tool, before Fail makes
	// the answer of it; nil: nothing.
	Explain func(t *Tool, e *problem.Error) *problem.Error
	// Probe is the name of a tool that reads, and needs no arguments, which a proof
	// that the server works calls; empty: the tool that reads guidelines.
	Probe string
	// Instructions orient an agent once, for what is enabled and offered now.
	Instructions func(Situation) problem.Hint
	// Guide is what a reply with guidelines says besides them; it may be nil.
	Guide     func(Guidelines) []GuideEntry
	Prompts   []Prompt
	Resources []Resource
}

// Style is how a profile's replies look.
type Style int

// The styles there are.
const (
	Labelled Style = iota // a JSON object with graph and graphName in front
	Bare                  // JSON as the tool gives it
	Prose                 // text
)

// FailureForm makes the answer to a call that failed, as the profile's clients
// expect it, in at most max tokens.
type FailureForm func(e *problem.Error, world problem.World, max int) Failure

// Toolset is a named group of tools.
type Toolset struct {
	Name  string
	About string
	On    bool // served where --toolsets is not given
}

// Situation is what instructions are made for.
type Situation struct {
	Graphs   []string       // nicknames of the enabled graphs
	Nothing  *problem.Error // why no graph is enabled; nil where one is
	Writes   bool           // a tool is offered that changes a graph
	ReadOnly bool           // the server was started with --read-only
}

// Guidelines are what was read of a graph before work there begins.
type Guidelines struct {
	Fields         rawjson.Object // Roam's reply
	Unselected     bool           // the connection keeps no selection, and there are several graphs
	CallExtensions bool           // extension tools can be called
	Recorded       bool           // writes are recorded
	UndoesOwn      bool           // an agent can take its own changes back
}

// SayRecorded adds to a text that writes are recorded, where they are.
func (g Guidelines) SayRecorded(text problem.Hint) problem.Hint {
	if !g.Recorded {
		return text
	}
	text = text.Then("What you write is recorded, and the user can take it back.")
	if g.UndoesOwn {
		text = text.Then("%s takes back your own.", problem.UndoOwnChanges)
	}
	return text
}

// GuideEntry is a field of the reply with guidelines.
type GuideEntry struct {
	Name  string
	Value any // a problem.Hint is said; all else is encoded
}

// Check reports what a profile must not be: two tools of one name or task, an
// unknown toolset, a tool that nobody runs.
func (p *Profile) Check() error {
	names, tasks := map[string]bool{}, map[problem.Task]bool{}
	for i := range p.Tools {
		t := &p.Tools[i]
		known := slices.ContainsFunc(p.Toolsets, func(s Toolset) bool { return s.Name == t.Toolset })
		switch {
		case names[t.Name] || tasks[t.Task] || t.Task == "":
			return fmt.Errorf("profile %s: the name or the task of %s is not its own", p.Name, t.Name)
		case !known:
			return fmt.Errorf("profile %s: %s is in no toolset", p.Name, t.Name)
		case t.Title == "" || t.Description.IsZero():
			return fmt.Errorf("profile %s: %s has no title or no description", p.Name, t.Name)
		}
		names[t.Name], tasks[t.Task] = true, true
	}
	return p.checkProbe()
}

func (p *Profile) checkProbe() error {
	if p.Probe == "" {
		return nil
	}
	probe, ok := p.Find(p.Probe)
	if !ok || !probe.Effects.ReadOnly || slices.ContainsFunc(probe.Params, func(each Param) bool { return each.Required }) {
		return fmt.Errorf("profile %s: the probe %s is no tool that reads without arguments", p.Name, p.Probe)
	}
	return nil
}

// Proving returns the name of the tool that a proof calls.
func (p *Profile) Proving() string {
	if p.Probe != "" {
		return p.Probe
	}
	return p.ToolName(problem.ReadGuidelines)
}

// Find returns the tool of a name.
func (p *Profile) Find(name string) (*Tool, bool) {
	return p.first(func(t *Tool) bool { return t.Name == name })
}

// Doing returns the tool of a task, or the one that is listed in its place.
func (p *Profile) Doing(does problem.Task) (*Tool, bool) {
	t, ok := p.first(func(t *Tool) bool { return t.Task == does })
	if ok && t.ListedAs != "" {
		return p.Doing(t.ListedAs)
	}
	return t, ok
}

func (p *Profile) first(wanted func(*Tool) bool) (*Tool, bool) {
	for i := range p.Tools {
		if wanted(&p.Tools[i]) {
			return &p.Tools[i], true
		}
	}
	return nil, false
}

// Definition returns a tool as tools/list shows it. Other tools that it names
// are those of the whole profile, offered or not, so that the list changes with
// the configuration only.
func (p *Profile) Definition(t *Tool, several bool) *mcp.Tool {
	return t.definition(p.choice(several), problem.World{Tool: p.ToolName}, p.Verbatim)
}

// Parse repairs and checks the arguments of a call of one of its tools.
func (p *Profile) Parse(t *Tool, raw json.RawMessage, several bool) (Arguments, error) {
	return t.Parse(raw, p.choice(several))
}

// choice returns how calls choose the graph that they work on, where several graphs
// are enabled, or one.
func (p *Profile) choice(several bool) Choice {
	switch {
	case several:
		return ChooseWithTicket
	case p.Verbatim:
		return ChooseNothing
	}
	return ChooseAtWill
}

// ToolName returns the name of the tool that does a task, empty where the
// profile has none.
func (p *Profile) ToolName(does problem.Task) string {
	if t, ok := p.Doing(does); ok {
		return t.Name
	}
	return ""
}

// Choose returns the names of the toolsets to serve: those that are on by
// default where wanted is empty, each for "all".
func (p *Profile) Choose(wanted []string) (map[string]bool, error) {
	chosen := map[string]bool{}
	for _, t := range p.Toolsets {
		chosen[t.Name] = t.On && len(wanted) == 0
	}
	for _, name := range wanted {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "all" {
			for _, t := range p.Toolsets {
				chosen[t.Name] = true
			}
			continue
		}
		if _, known := chosen[name]; !known {
			return nil, p.unknownToolset(name)
		}
		chosen[name] = true
	}
	return chosen, nil
}

func (p *Profile) unknownToolset(name string) *problem.Error {
	known := make([]string, 0, len(p.Toolsets)+1)
	for _, t := range p.Toolsets {
		known = append(known, t.Name)
	}
	return &problem.Error{
		Code:    CodeUnknownToolset,
		Message: fmt.Sprintf("The profile %s has no toolset %s.", p.Name, textsafe.Quote(name)),
		Hint:    problem.Say("Known toolsets: %s.", strings.Join(append(known, "all"), ", ")),
	}
}

// The arguments that the server completes: a graph's nickname, a page's title.
const (
	ArgGraph = "graph"
	ArgPage  = "page"
)

// Prompt is a task that a person can pick in the client.
type Prompt struct {
	Name, Title, About string
	Args               []PromptArg
	Needs              []problem.Task // it is offered where all of their tools are
	Text               func(told map[string]string) Text
}

// PromptArg is one argument of a prompt.
type PromptArg struct {
	Name, About string
	Required    bool
}

// Definition is the prompt as prompts/list shows it.
func (p Prompt) Definition(several bool) *mcp.Prompt {
	definition := &mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.About}
	for _, each := range p.Args {
		definition.Arguments = append(definition.Arguments, &mcp.PromptArgument{Name: each.Name, Description: each.About, Required: each.Required})
	}
	if several {
		definition.Arguments = append(definition.Arguments, &mcp.PromptArgument{Name: ArgGraph, Description: "Nickname of the graph."})
	}
	return definition
}

// Check refuses arguments that are missing, unknown, or longer in all than max
// bytes.
func (p Prompt) Check(told map[string]string, max int) error {
	known, size := map[string]bool{ArgGraph: true}, 0
	for _, each := range p.Args {
		known[each.Name] = true
		if each.Required && strings.TrimSpace(told[each.Name]) == "" {
			return Invalid(p.Name, "%s is missing: %s", each.Name, each.About)
		}
	}
	for name, value := range told {
		if size += len(value); size > max || !known[name] {
			return Invalid(p.Name, "%s is unknown or too long.", textsafe.Quote(name))
		}
	}
	return nil
}

// Resource is something of a graph that a person can put into a conversation.
type Resource struct {
	Path  string // last part of its URI
	Title string // before the nickname
	About string
	Read  func(ctx context.Context, c Call) (string, error) // markdown
}
