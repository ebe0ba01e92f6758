package mcpserve

import (
	"fmt"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/mcpserve/profile/graph"
	"roam-mcp/mcpserve/profile/notes"
	"roam-mcp/mcpserve/profile/outline"
	"roam-mcp/mcpserve/profile/roam"
	"roam-mcp/mcpserve/profile/wiki"
	"roam-mcp/mcpserve/surface"
)

// DefaultProfile is the profile that is served where none is named.
const DefaultProfile = roam.Name

// registered is a profile by its name. It is made when it is wanted.
type registered struct {
	name string
	make func() surface.Profile
}

// allProfiles lists the profiles that this build knows.
func allProfiles() []registered {
	return []registered{
		{roam.Name, roam.Profile},
		{graph.Name, graph.Profile},
		{notes.Name, notes.Profile},
		{outline.Name, outline.Profile},
		{wiki.Name, wiki.Profile},
	}
}

// Profiles returns all profiles that this build knows, the default one first.
func Profiles() []surface.Profile {
	var all []surface.Profile
	for _, each := range allProfiles() {
		all = append(all, each.make())
	}
	return all
}

// FindProfile returns the profile of that name, the default one for an empty name, or an
// error that says which was meant.
func FindProfile(name string) (surface.Profile, error) {
	p, err := findProfile(allProfiles(), name)
	if err == nil {
		return *p, nil
	}
	var names []string
	for _, each := range allProfiles() {
		names = append(names, each.name)
	}
	wrong, _ := problem.As(err)
	if meant := textsafe.Closest(name, names); wrong != nil && meant != "" {
		wrong.Hint = problem.Say("Did you mean %s?", meant)
	}
	return surface.Profile{}, err
}

func findProfile(known []registered, name string) (*surface.Profile, error) {
	if name == "" {
		name = DefaultProfile
	}
	var names []string
	for _, each := range known {
		if each.name == name {
			p := each.make()
			return &p, p.Check()
		}
		names = append(names, each.name)
	}
	return nil, &problem.Error{
		Code:    CodeUnknownProfile,
		Message: fmt.Sprintf("There is no profile %s.", textsafe.Quote(name)),
		Hint:    problem.Say("Known profiles: %s.", strings.Join(names, ", ")),
	}
}

// offering is what a server may offer, fixed at start.
type offering struct {
	profile  *surface.Profile
	toolsets map[string]bool
	readOnly bool
	setsUp   bool // Roam can be asked for tokens
}

func newOffering(options Options) (offering, error) {
	known := options.profiles
	if known == nil {
		known = allProfiles()
	}
	p, err := findProfile(known, options.Profile)
	if err != nil {
		return offering{}, err
	}
	toolsets, err := p.Choose(options.Toolsets)
	if err != nil {
		return offering{}, err
	}
	return offering{profile: p, toolsets: toolsets, readOnly: options.ReadOnly}, nil
}

// tools returns the tools for a state of the configuration: those of the chosen
// toolsets, without those that another stands for, and what --read-only, a token that can't write, or the lack of a
// choice rule out.
func (o offering) tools(v view) []*surface.Tool {
	var list []*surface.Tool
	for i := range o.profile.Tools {
		t := &o.profile.Tools[i]
		if t.ListedAs == "" && o.serves(t, v) && (!t.Choosing || v.choosing()) {
			list = append(list, t)
		}
	}
	return list
}

// serves reports whether a call of the tool would be let through.
func (o offering) serves(t *surface.Tool, v view) bool {
	return o.toolsets[t.Toolset] && o.refusal(t, v) == nil && (t.Task != problem.SetUpGraph || o.setsUp)
}

// toolName returns the name of the tool that does a task, empty where it is not
// served. Tools that choose a graph have theirs also while there is nothing to
// choose: a call of them is answered.
func (o offering) toolName(v view) func(problem.Task) string {
	return func(does problem.Task) string {
		if t, ok := o.profile.Doing(does); ok && o.serves(t, v) {
			return t.Name
		}
		return ""
	}
}

// writes reports whether a tool is offered that changes a graph.
func (o offering) writes(v view) bool {
	for _, t := range o.tools(v) {
		if t.Writes() {
			return true
		}
	}
	return false
}

// refusal says why a tool may not be used; nil where it may.
func (o offering) refusal(t *surface.Tool, v view) *problem.Error {
	if !o.toolsets[t.Toolset] {
		return &problem.Error{
			Code:    CodeToolNotOffered,
			Message: fmt.Sprintf("The tool %s belongs to the toolset %s, which is not switched on.", t.Name, t.Toolset),
			Hint:    problem.Say("The user can switch it on with: %s", o.serve("--toolsets", o.with(t.Toolset))),
		}
	}
	if t.Effects.ReadOnly {
		return nil
	}
	if o.readOnly {
		return &problem.Error{Code: CodeReadOnly, Message: "This server was started with --read-only, so nothing can be changed.", Hint: problem.Say("Read only, or ask the user to start it without --read-only.")}
	}
	if !t.Writes() { // Roam opens windows and reloads extensions with any token
		return nil
	}
	if enabled := v.enabled(); len(enabled) == 1 {
		return tokenRefusal(t, enabled[0])
	}
	return nil
}

// serve returns the command that serves this profile, with further flags.
func (o offering) serve(flags ...string) problem.Command {
	command := problem.Run("serve")
	if o.profile.Name != DefaultProfile {
		command = command.With("--profile", o.profile.Name)
	}
	return command.With(flags...)
}

// with lists the toolsets that are switched on and one more, as --toolsets takes
// them: those that it does not name are off.
func (o offering) with(more string) string {
	var names []string
	for _, t := range o.profile.Toolsets {
		if o.toolsets[t.Name] || t.Name == more {
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, ",")
}

// tokenRefusal says why the only graph's token does not permit a write; nil
// where it does, or where its level is not known.
func tokenRefusal(t *surface.Tool, entry configstore.Entry) *problem.Error {
	refused := &problem.Error{Hint: problem.Say("For more access the user can run: %s", problem.Run("reauth", entry.Nickname))}
	switch level := entry.AccessLevel; {
	case level == localapi.ReadOnly:
		refused.Code = CodeReadOnly
		refused.Message = fmt.Sprintf("The token for the graph %s permits reading only.", textsafe.Quote(entry.Nickname))
	case level == localapi.ReadAppend && t.Task == problem.UndoOwnChanges:
		return undo.NeedsEdit(entry.Nickname)
	case level == localapi.ReadAppend && t.Scope == surface.ScopeEdit:
		refused.Code = localapi.CodeInsufficientScope
		refused.Message = fmt.Sprintf("The token for the graph %s permits reading and adding, not changing or deleting.", textsafe.Quote(entry.Nickname))
	default:
		return nil
	}
	return refused
}
