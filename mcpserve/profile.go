package mcpserve

import (
	"fmt"
	"slices"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

// DefaultProfile is the profile that is served where none is named.
const DefaultProfile = "roam"

// profile is a complete tool surface over the same core. Within it, toolsets
// are switched on at start, never by a call: the tool list must not change as a
// side effect of one.
type profile struct {
	name     string
	toolsets []toolset
	tools    []tool
}

// toolset is a named group of tools.
type toolset struct {
	name  string
	about string
	on    bool // served where --toolsets is not given
}

// profiles are all that this build knows.
func profiles() []profile { return []profile{roamProfile()} }

func roamProfile() profile {
	return profile{
		name: DefaultProfile,
		toolsets: []toolset{
			{"graphs", "choose a graph, read its guidelines", true},
			{"read", "pages, blocks, backlinks, search", true},
			{"write", "create, update, move, delete", true},
			{"desktop", "what is open in Roam, and opening more", false},
			{"files", "files in a graph", false},
			{"discover", "search by meaning, link suggestions", false},
			{"developer", "Roam extensions under development", false},
		},
		tools: slices.Concat(graphTools(), readTools(), writeTools(), desktopTools(), fileTools(), discoverTools(), developerTools()),
	}
}

func findProfile(name string) (profile, error) {
	if name == "" {
		name = DefaultProfile
	}
	var known []string
	for _, p := range profiles() {
		if p.name == name {
			return p, nil
		}
		known = append(known, p.name)
	}
	return profile{}, &failure{
		Code:    CodeUnknownProfile,
		Message: fmt.Sprintf("There is no profile %s.", quote(name)),
		Hint:    "Known profiles: " + strings.Join(known, ", ") + ".",
	}
}

// chosenToolsets gives the names of the toolsets to serve: those that are on by
// default where wanted is empty, each for "all".
func (p profile) chosenToolsets(wanted []string) (map[string]bool, error) {
	chosen := map[string]bool{}
	for _, t := range p.toolsets {
		chosen[t.name] = t.on && len(wanted) == 0
	}
	for _, name := range wanted {
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "all" {
			for _, t := range p.toolsets {
				chosen[t.name] = true
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

func (p profile) unknownToolset(name string) *failure {
	known := make([]string, 0, len(p.toolsets)+1)
	for _, t := range p.toolsets {
		known = append(known, t.name)
	}
	return &failure{
		Code:    CodeUnknownToolset,
		Message: fmt.Sprintf("The profile %s has no toolset %s.", p.name, quote(name)),
		Hint:    "Known toolsets: " + strings.Join(append(known, "all"), ", ") + ".",
	}
}

// surface is what a server may offer, fixed at start.
type surface struct {
	profile  profile
	toolsets map[string]bool
	readOnly bool
}

func newSurface(options Options) (surface, error) {
	p, err := findProfile(options.Profile)
	if err != nil {
		return surface{}, err
	}
	toolsets, err := p.chosenToolsets(options.Toolsets)
	if err != nil {
		return surface{}, err
	}
	return surface{p, toolsets, options.ReadOnly}, nil
}

func (s surface) find(name string) (*tool, bool) {
	for i := range s.profile.tools {
		if s.profile.tools[i].name == name {
			return &s.profile.tools[i], true
		}
	}
	return nil, false
}

// has reports whether a tool belongs to a toolset that is switched on.
func (s surface) has(name string) bool {
	t, known := s.find(name)
	return known && s.toolsets[t.toolset]
}

// offered are the tools for a state of the configuration: those of the chosen
// toolsets, without what --read-only, a token that can't write, or the lack of
// a choice rule out.
func (s surface) offered(v view) []*tool {
	var list []*tool
	for i := range s.profile.tools {
		t := &s.profile.tools[i]
		if s.toolsets[t.toolset] && s.refusal(t, v) == nil && (!t.choosing || v.choosing()) {
			list = append(list, t)
		}
	}
	return list
}

// refusal says why a tool may not be used; nil where it may.
func (s surface) refusal(t *tool, v view) *failure {
	if !s.toolsets[t.toolset] {
		return &failure{
			Code:    CodeToolNotOffered,
			Message: fmt.Sprintf("The tool %s belongs to the toolset %s, which is not switched on.", t.name, t.toolset),
			Hint:    "The user can switch it on with: roam-mcp serve --toolsets " + s.with(t.toolset),
		}
	}
	if t.effects.readOnly {
		return nil
	}
	if s.readOnly {
		return &failure{Code: CodeReadOnly, Message: "This server was started with --read-only, so nothing can be changed.", Hint: "Read only, or ask the user to start it without --read-only."}
	}
	if !t.writes() { // Roam opens windows and reloads extensions with any token
		return nil
	}
	if enabled := v.enabled(); len(enabled) == 1 {
		return tokenRefusal(t, enabled[0])
	}
	return nil
}

// with lists the toolsets that are switched on and one more, as --toolsets takes
// them: those that it does not name are off.
func (s surface) with(more string) string {
	var names []string
	for _, t := range s.profile.toolsets {
		if s.toolsets[t.name] || t.name == more {
			names = append(names, t.name)
		}
	}
	return strings.Join(names, ",")
}

// tokenRefusal says why the only graph's token does not permit a write; nil
// where it does, or where its level is not known.
func tokenRefusal(t *tool, entry configstore.Entry) *failure {
	refused := &failure{advice: problem.Say("For more access the user can run: %s", problem.Run("reauth", entry.Nickname))}
	switch level := entry.AccessLevel; {
	case level == localapi.ReadOnly:
		refused.Code = CodeReadOnly
		refused.Message = fmt.Sprintf("The token for the graph %s permits reading only.", quote(entry.Nickname))
	case level == localapi.ReadAppend && t.scope == scopeEdit:
		refused.Code = localapi.CodeInsufficientScope
		refused.Message = fmt.Sprintf("The token for the graph %s permits reading and adding, not changing or deleting.", quote(entry.Nickname))
	default:
		return nil
	}
	return refused
}
