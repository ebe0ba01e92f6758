package main

import (
	"context"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/tui/kit"
)

// historySwitchCommand is "history on" or "history off".
func (a historyCommands) historySwitchCommand(texts configstore.Switch, short string) *cobra.Command {
	var nickname string
	command := &cobra.Command{
		Use: string(texts), Short: short, Args: arguments(0, 0),
		Example: "roam-mcp history " + string(texts) + " --graph Work",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.setTexts(cmd.Context(), nickname, texts) },
	}
	command.Flags().StringVar(&nickname, "graph", "", "of the graph with this `nickname` alone (default: all graphs)")
	return command
}

func (a historyCommands) setTexts(ctx context.Context, nickname string, texts configstore.Switch) error {
	w, err := a.world()
	if err != nil {
		return err
	}
	graphs := w.graphs()
	if nickname == "" {
		err = graphs.SetAllHistory(ctx, texts)
	} else {
		err = graphs.SetHistory(ctx, nickname, texts)
	}
	if err != nil {
		return err
	}
	config, err := graphs.Load(ctx)
	if err != nil {
		return err
	}
	words := a.wording(w, graphs)
	said := words.AllTextsSet(config, texts)
	if nickname != "" {
		if entry, found := config.Find(nickname); found {
			nickname = entry.Nickname
		}
		said = words.TextsSet(config, nickname, texts)
	}
	for _, sentence := range said {
		if err := a.answer("%s\n", kit.Unwrapped(sentence)); err != nil {
			return err
		}
	}
	for _, p := range config.Problems {
		if p.Code == configstore.CodeHistoryInvalid {
			a.tellProblems([]configstore.Problem{p})
		}
	}
	return nil
}
