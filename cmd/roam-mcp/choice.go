package main

import (
	"context"
	"fmt"
	"strings"

	"roam-mcp/clients"
	"roam-mcp/internal/spelling"
	"roam-mcp/manage"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/problem"
)

// choosable returns the profile of that name, the default one for an empty name.
func choosable(name string) (surface.Profile, error) {
	all := mcpserve.Profiles()
	if name == "" {
		return all[0], nil
	}
	var names []string
	for _, p := range all {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	wrong := &problem.Error{
		Code: mcpserve.CodeUnknownProfile, Message: fmt.Sprintf("There is no profile %q.", name),
		Hint: problem.Say("Known profiles: %s.", strings.Join(names, ", ")),
	}
	if meant := spelling.Closest(name, names); meant != "" {
		wrong.Hint = problem.Say("Did you mean %s?", meant)
	}
	return surface.Profile{}, wrong
}

// checkChoice refuses what a server would refuse at its start.
func (w world) checkChoice(ctx context.Context, choice clients.Choice) error {
	profile, err := choosable(choice.Profile)
	if err != nil {
		return err
	}
	if _, err := profile.Choose(choice.Toolsets); err != nil {
		return err
	}
	if len(choice.Graphs) == 0 {
		return nil
	}
	config, err := w.store().Load(ctx)
	if err != nil {
		return err
	}
	for _, nickname := range choice.Graphs {
		if _, found := config.Find(nickname); !found {
			return manage.NotConfigured(nickname, config)
		}
	}
	return nil
}
