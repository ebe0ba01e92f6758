package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/problem"
)

// listedGraph is one graph of the list, as --json prints it.
type listedGraph struct {
	Nickname    string `json:"nickname,omitempty"`
	Name        string `json:"name"`
	Type        string `json:"type"`
	AccessLevel string `json:"accessLevel,omitempty"`
	State       string `json:"state"` // connected, disabled, revoked, not connected, or that with "no token"
	Open        bool   `json:"open"`  // has a window in Roam
	// Texts is whether the history keeps texts of what agents write: kept, not kept, or
	// kept if not encrypted, which Roam has to say. Of connected graphs.
	Texts string `json:"texts,omitempty"`
}

func (a graphCommands) graphsCommand() *cobra.Command {
	var asJSON bool
	command := &cobra.Command{
		Use: "graphs", Short: "List the connected graphs and those in Roam", Args: arguments(0, 0),
		Example: `roam-mcp graphs
roam-mcp graphs --json`,
		SuggestFor: []string{"list", "ls", "status"},
		RunE:       func(cmd *cobra.Command, _ []string) error { return a.graphs(cmd.Context(), asJSON) },
	}
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

func (a graphCommands) graphs(ctx context.Context, asJSON bool) error {
	w, _, config, err := a.load(ctx)
	if err != nil {
		return err
	}
	_, end, err := a.hosted(ctx, w)
	if err != nil {
		return err
	}
	defer end()
	a.tellProblems(config.Problems)
	// What is connected is worth knowing also while Roam is away.
	var listing localapi.Listing
	roamErr := exchange.Look(ctx, func(ctx context.Context) (err error) {
		listing, err = localapi.List(ctx, w.client())
		return err
	})
	list := []listedGraph{}
	for _, g := range manage.Merge(config, listing) {
		list = append(list, listed(g, config))
	}
	if asJSON {
		err = a.printJSON(list)
	} else {
		err = a.printTable(list, roamErr == nil && !listing.Partial)
	}
	if err != nil {
		return err
	}
	return roamErr
}

// listed returns a graph as --json prints it.
func listed(g manage.Graph, config configstore.Config) listedGraph {
	out := listedGraph{Name: g.Name, Type: string(g.Type), State: "not connected", Open: g.Open}
	if g.Connected {
		out.Nickname, out.AccessLevel, out.State = g.Entry.Nickname, string(g.Entry.AccessLevel), entryState(g.Entry)
		out.Texts = map[configstore.Switch]string{configstore.On: "kept", configstore.Off: "not kept", "": "kept if not encrypted"}[config.TextsOf(g.Entry)]
	}
	if g.WithoutToken {
		out.Nickname, out.State = g.Entry.Nickname, "not connected: no token"
	}
	return out
}

func entryState(entry configstore.Entry) string {
	switch {
	case entry.LastKnownTokenStatus == localapi.TokenRevoked:
		return "revoked"
	case entry.Disabled:
		return "disabled"
	}
	return "connected"
}

func (a graphCommands) printJSON(list []listedGraph) error {
	return a.answerJSON(map[string]any{"graphs": list})
}

func (a graphCommands) printTable(list []listedGraph, listsAll bool) error {
	if !slices.ContainsFunc(list, func(g listedGraph) bool { return g.Nickname != "" }) {
		defer a.next(problem.Say("Next, connect one: %s.", problem.Run("connect", "GRAPH")))
	}
	if len(list) == 0 {
		a.tell("No graph is connected yet.\n")
		if listsAll {
			a.tell("Roam lists no graphs: sign in to Roam Desktop first.\n")
		}
		return nil
	}
	table := a.table()
	fmt.Fprintln(table, "NICKNAME\tGRAPH\tTYPE\tACCESS\tSTATE\tTEXTS IN HISTORY")
	for _, graph := range list {
		state := graph.State
		if graph.Open {
			state += ", open"
		}
		access := ""
		if graph.AccessLevel != "" {
			access = localapi.AccessLevel(graph.AccessLevel).Words()
		}
		if graph.Texts != "" {
			state += "\t" + graph.Texts
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", graph.Nickname, graph.Name, graph.Type, access, state)
	}
	return table.Flush()
}

func nicknames(entries []configstore.Entry) string { return strings.Join(nicknamesOf(entries), ", ") }

func nicknamesOf(entries []configstore.Entry) []string {
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Nickname
	}
	return names
}
