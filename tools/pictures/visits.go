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

// tidiesUp makes changes whose differences are worth a look.
func tidiesUp(ctx context.Context, agents agents) error {
	claude, err := agents("claude-code")
	if err != nil {
		return err
	}
	cursor, err := agents("cursor")
	if err != nil {
		return err
	}
	tidewater, err := claude.Ticket(ctx, "Tidewater")
	if err != nil {
		return err
	}
	notebook, err := cursor.Ticket(ctx, "Notebook")
	if err != nil {
		return err
	}
	call := func(a *agent.Agent, tool string, arguments map[string]any) (err error) {
		text, refused, err := a.Call(ctx, tool, arguments)
		if err == nil && refused {
			err = errors.New(text)
		}
		return err
	}
	write := func(tool string, arguments map[string]any) error {
		arguments["graph"], arguments["ticket"] = "Tidewater", tidewater
		return call(claude, tool, arguments)
	}
	return errors.Join(
		call(cursor, "create_page", map[string]any{"graph": "Notebook", "ticket": notebook, "title": "Reading plan", "markdown": "- Two chapters a week\n- Notes on the daily page"}),
		write("create_block", map[string]any{"pageTitle": "Oven Fund", "markdown": "- The two notes do not agree on the price"}),
		write("delete_block", map[string]any{"uid": "oven-loaf"}),
		write("update_page", map[string]any{"uid": "slow-page", "title": "Slow things keep well"}),
		write("update_blocks", map[string]any{"updates": []map[string]any{
			{"uid": "ovenPrice", "find": "£4,200", "replace": "£4,450"},
			{"uid": "oven-elec", "todo": "done"},
		}}),
	)
}
