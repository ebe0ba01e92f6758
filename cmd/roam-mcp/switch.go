package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"roam-mcp/internal/sandbox"
)

// switchCommand is "sandbox switch", which turns switches of a sandbox that runs.
func (a sandboxCommands) switchCommand() *cobra.Command {
	var home string
	var clear bool
	command := &cobra.Command{
		Use:   "switch [NAME[=VALUE]]…",
		Short: "Make the sandbox that runs slow, broken or old",
		Long: `Make the sandbox that runs slow, broken or old, to try a client against it.
NAME=off turns a switch off again. Without any, all switches are listed.`,
		Example: `roam-mcp sandbox switch
roam-mcp sandbox switch disabled
roam-mcp sandbox switch disabled=off`,
		Args: arguments(0, 100),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.turnSwitches(cmd.Context(), home, clear, args)
		},
	}
	command.Flags().StringVar(&home, "home", "", "home `folder` of the sandbox's world (default: the usual one)")
	command.Flags().BoolVar(&clear, "clear", false, "turn all switches off first")
	return command
}

func (a sandboxCommands) turnSwitches(ctx context.Context, home string, clear bool, texts []string) error {
	settings, err := parseSwitches(texts)
	if err != nil {
		return err
	}
	if home == "" {
		home = sandboxHome()
	} else if home, err = expandHome(home); err != nil {
		return err
	}
	states, err := sandbox.TurnSwitches(ctx, home, "", clear, settings...)
	if err != nil {
		return err
	}
	table, group := a.table(), ""
	for _, state := range states {
		if state.Group != group {
			group = state.Group
			fmt.Fprintf(table, "%s:\n", group)
		}
		value := cmp.Or(state.Value, "off")
		if _, err := fmt.Fprintf(table, "%s\t%s\t%s\n", state.Usage, value, state.Does); err != nil {
			return err
		}
	}
	return table.Flush()
}

// parseSwitches reads switches as they stand on a command line.
func parseSwitches(texts []string) ([]sandbox.Setting, error) {
	settings, err := sandbox.ParseSettings(texts)
	if err != nil {
		wrong := *explain(err)
		wrong.Code, wrong.Err = codeUsage, err
		return nil, &wrong
	}
	return settings, nil
}
