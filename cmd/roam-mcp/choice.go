package main

import (
	"context"

	"roam-mcp/internal/clients"
	"roam-mcp/manage"
	"roam-mcp/mcpserve"
)

// checkChoice refuses what a server would refuse at its start.
func (w dirs) checkChoice(ctx context.Context, choice clients.Choice) error {
	profile, err := mcpserve.FindProfile(choice.Profile)
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
