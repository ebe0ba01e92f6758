package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/manage"
)

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
	list := manage.List(config, listing)
	if asJSON {
		err = a.answerJSON(map[string]any{"graphs": list})
	} else {
		err = a.printTable(list, roamErr == nil)
	}
	if err != nil {
		return err
	}
	return roamErr
}

func (a graphCommands) printTable(list []manage.Listed, listsAll bool) error {
	if !slices.ContainsFunc(list, func(g manage.Listed) bool { return g.Nickname != "" }) {
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
			access = graph.AccessLevel.Words()
		}
		if graph.Texts != "" {
			state += "\t" + graph.Texts
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", graph.Nickname, graph.Name, graph.Type, access, state)
	}
	return table.Flush()
}
