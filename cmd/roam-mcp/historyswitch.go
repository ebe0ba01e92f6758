package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/problem"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
	"roam-mcp/tui/wording"
)

// wording makes the sentences that the setup program has too.
func (a *app) wording(w world, graphs *manage.Manager) wording.Wording {
	options := tui.Options{World: w.hints(), Sandbox: w.sandbox, Version: version(), Environ: os.Environ(), HistoryFolder: w.historyFolder()}
	return options.Wording(graphs.Path, false)
}

// historySwitchCommands are on and off of the command history.
func (a *app) historySwitchCommands() []*cobra.Command {
	return []*cobra.Command{
		a.historySwitchCommand(configstore.On, "Keep the texts of what agents write and replace"),
		a.historySwitchCommand(configstore.Off, "Keep no texts of what agents write and replace"),
	}
}

func (a *app) historySwitchCommand(texts configstore.Switch, short string) *cobra.Command {
	var nickname string
	command := &cobra.Command{
		Use: string(texts), Short: short, Args: arguments(0, 0),
		Example: "roam-mcp history " + string(texts) + " --graph Work",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.setTexts(cmd.Context(), nickname, texts) },
	}
	command.Flags().StringVar(&nickname, "graph", "", "of the graph with this `nickname` alone (default: all graphs)")
	return command
}

func (a *app) setTexts(ctx context.Context, nickname string, texts configstore.Switch) error {
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

// askAboutTexts asks a person whether texts of a graph may be kept that was just
// connected, where that has to be asked. Without somebody to answer none are kept, and
// that is told.
func (a *app) askAboutTexts(ctx context.Context, w world, graphs *manage.Manager, entry configstore.Entry, canAnswer bool) error {
	said, asks := graphs.AsksAboutTexts(ctx, entry)
	if !asks {
		return nil
	}
	if !canAnswer {
		a.tell("%s\n", a.explained(wording.NoTextsOf(entry.Nickname, said), problem.Say("To keep them: %s", problem.Run("history on").With("--graph", entry.Nickname))))
		return nil
	}
	question := a.wording(w, graphs).AskAboutTexts(entry.Nickname, said)
	a.tell("%s\n%s [y/N] ", question[1], question[0])
	yes, err := saidYes(ctx, a.in)
	if err != nil {
		return err
	}
	texts := configstore.Off
	if yes {
		texts = configstore.On
	}
	if err := graphs.SetHistory(ctx, entry.Nickname, texts); err != nil {
		return err
	}
	config, err := graphs.Load(ctx)
	if err != nil {
		return err
	}
	a.tell("%s\n", kit.Unwrapped(a.wording(w, graphs).TextsSet(config, entry.Nickname, texts)[0]))
	return nil
}
