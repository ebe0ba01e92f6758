package main

import (
	"strings"

	"github.com/spf13/cobra"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/mcpserve"
)

// completeValues has a shell complete the values of flags and the arguments of all
// commands below one, by their names. Where none is known, it offers no files.
func (a *app) completeValues(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	files := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	folders := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	times := words("today", "yesterday", "30m", "2h", "7d", "30d")
	flags := map[string]cobra.CompletionFunc{
		"access":       completeLevels,
		"agent":        atHand{a}.completeRecent(agentAt),
		"approve":      words(string(desk.Ask), string(desk.Allow), string(desk.Deny), string(desk.Never), string(desk.Timeout)),
		"config":       files,
		"files-from":   folders,
		"format":       words("json", "markdown"),
		"graph":        a.completeNicknames,
		"graph-type":   words(string(localapi.Hosted), string(localapi.Offline)),
		"history":      words("on", "off"),
		"home":         folders,
		"import":       files,
		"install":      folders,
		"keep":         words("history", "sandbox"),
		"log-file":     files,
		"log-level":    words("debug", "info", "warn", "error"),
		"output":       files,
		"profile":      completeProfiles,
		"session":      atHand{a}.completeRecent(sessionAt),
		"since":        times,
		"switch":       completeSwitches,
		"to":           folders,
		"tool":         atHand{a}.completeRecent(toolAt),
		"toolsets":     completeToolsets,
		"until":        times,
		"type":         words(string(localapi.Hosted), string(localapi.Offline)),
		"mirror-limit": words("640MiB", "1GiB", "2GiB"),
	}
	arguments := map[string]cobra.CompletionFunc{
		"NICKNAME":        first(a.completeNicknames),
		"PROFILE":         first(completeProfiles),
		"CLIENT…":         completeClients,
		"[FILE]":          files,
		"[NAME[=VALUE]]…": completeSwitches,
	}
	completeBelow(root, flags, arguments)
}

func completeBelow(command *cobra.Command, flags, arguments map[string]cobra.CompletionFunc) {
	for name, complete := range flags {
		if command.Flag(name) != nil {
			_ = command.RegisterFlagCompletionFunc(name, complete) // the flag is there, and this is the first one
		}
	}
	if use := strings.Fields(command.Use); len(use) > 1 && command.ValidArgsFunction == nil {
		command.ValidArgsFunction = arguments[use[1]]
	}
	for _, below := range command.Commands() {
		completeBelow(below, flags, arguments)
	}
}

// words completes one of a few words.
func words(all ...cobra.Completion) cobra.CompletionFunc {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp)
}

// first completes the first argument and no further one.
func first(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(command *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(command, args, begun)
	}
}

// completeNicknames completes the nicknames of the configuration.
func (a *app) completeNicknames(command *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	_, _, config, err := a.load(command.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []cobra.Completion
	for _, entry := range config.Entries {
		names = append(names, cobra.CompletionWithDesc(entry.Nickname, entry.Name))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func completeLevels(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var levels []cobra.Completion
	for _, level := range localapi.RequestableLevels() {
		levels = append(levels, cobra.CompletionWithDesc(string(level), "agents can "+level.Explain()))
	}
	return levels, cobra.ShellCompDirectiveNoFileComp
}

func completeProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, p := range mcpserve.Profiles() {
		names = append(names, cobra.CompletionWithDesc(p.Name, p.About))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeToolsets completes the last of several toolsets with commas between.
func completeToolsets(command *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	profile := mcpserve.DefaultProfile
	if flag := command.Flag("profile"); flag != nil && flag.Changed {
		profile = flag.Value.String()
	}
	before := begun[:strings.LastIndexByte(begun, ',')+1]
	names := []cobra.Completion{cobra.CompletionWithDesc(before+"all", "every toolset")}
	for _, p := range mcpserve.Profiles() {
		for _, t := range p.Toolsets {
			if p.Name == profile {
				names = append(names, cobra.CompletionWithDesc(before+t.Name, toolsetAbout(t)))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func completeSwitches(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, s := range sandbox.Switches() {
		names = append(names, cobra.CompletionWithDesc(s.Name, s.Does))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
