package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/internal/journal/history"
)

// completionPatience is how long a completion waits for Roam, or for the journal.
const completionPatience = 300 * time.Millisecond

// atHand completes what Roam and the journal have just now.
type atHand struct{ *app }

// completeGraphs completes the graphs that are open in Roam and not connected yet; none where Roam
// does not answer at once.
func (a atHand) completeGraphs(command *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	w, err := a.world()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(command.Context(), completionPatience)
	defer cancel()
	client := w.client()
	defer client.CloseIdleConnections()
	graphs, _ := client.OpenGraphs(ctx) // none where Roam is away
	config, _ := w.store().Load(ctx)    // nothing is connected where there is none
	var names []cobra.Completion
	for _, graph := range graphs {
		if !slices.ContainsFunc(config.Entries, func(e configstore.Entry) bool { return e.Graph() == graph }) {
			names = append(names, cobra.CompletionWithDesc(graph.Name, string(graph.Type)))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// recentCalls returns the last calls of the journal; none where it can't be read at once.
func (a atHand) recentCalls(ctx context.Context) []history.Call {
	w, err := a.world()
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionPatience)
	defer cancel()
	journal := w.journal(ctx, history.KindCLI, slog.New(slog.DiscardHandler))
	defer func() { _ = journal.Close(context.WithoutCancel(ctx)) }() // it was only read
	page, _ := journal.Calls(ctx, history.Filter{})
	return page.Calls
}

// completeRecent completes one of what calls of the journal have, the last one first.
func (a atHand) completeRecent(of func(history.Call) (word, about string)) cobra.CompletionFunc {
	return func(command *cobra.Command, _ []string, _ string) (words []cobra.Completion, _ cobra.ShellCompDirective) {
		seen := map[string]bool{}
		for _, call := range a.recentCalls(command.Context()) {
			if word, about := of(call); word != "" && !seen[word] {
				seen[word] = true
				words = append(words, cobra.CompletionWithDesc(word, about))
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

func agentAt(call history.Call) (word, about string) { return call.Agent, call.Client }
func toolAt(call history.Call) (word, about string)  { return call.Tool, "" }
func numberAt(call history.Call) (word, about string) {
	return strconv.FormatInt(call.ID, 10), fmt.Sprintf("%s, %s of %s: %s", call.At.Local().Format("Jan 2 15:04"), call.Tool, call.Agent, call.Summary)
}
func sessionAt(call history.Call) (word, about string) {
	return fmt.Sprintf("s%d", call.Session), call.Agent
}
