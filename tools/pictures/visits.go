package main

import (
	"context"
	"errors"
	"path/filepath"
	"regexp"

	"roam-mcp/internal/testutil/agent"
)

// visit is what agents do while a screen shows the server that they call.
type visit func(context.Context, agents) error

// agents come to the server under the names of clients.
type agents func(name string) (*agent.Agent, error)

// pay lets the agents come to the server whose address is on the screen. They
// leave only with the program, which shows those that are there.
func (v visit) pay(screen, home string) error {
	endpoint := regexp.MustCompile(`http://\S+/mcp`).FindString(screen)
	if endpoint == "" {
		return errors.New("the screen shows no server")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return v(ctx, func(name string) (*agent.Agent, error) {
		return agent.Connect(context.Background(), name, endpoint, filepath.Join(sandboxFolder(home), "http-token"))
	})
}

func readsAndWrites(ctx context.Context, agents agents) error {
	claude, err := agents("claude-code")
	if err != nil {
		return err
	}
	ticket, err := claude.Ticket(ctx, "Tidewater")
	if err != nil {
		return err
	}
	call := func(tool string, arguments map[string]any) error {
		_, _, err := claude.Call(ctx, tool, arguments)
		return err
	}
	return errors.Join(
		call("search", map[string]any{"graph": "Tidewater", "query": "oven"}),
		call("get_page", map[string]any{"graph": "Tidewater", "title": "Oven Fund"}),
		call("create_block", map[string]any{
			"graph": "Tidewater", "ticket": ticket, "pageTitle": "Oven Fund",
			"markdown": "- The two notes do not agree on the price",
		}),
		call("get_page", map[string]any{"graph": "Old", "title": "Oven Fund"}),
	)
}

func writesInVain(ctx context.Context, agents agents) error {
	cursor, err := agents("cursor")
	if err != nil {
		return err
	}
	ticket, err := cursor.Ticket(ctx, "Notebook")
	if err != nil {
		return err
	}
	_, _, paused := cursor.Call(ctx, "create_page", map[string]any{"graph": "Notebook", "ticket": ticket, "title": "Reading plan"})
	_, _, search := cursor.Call(ctx, "search", map[string]any{"graph": "Notebook", "query": "walk"})
	return errors.Join(paused, search)
}
