package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roam-mcp/mcpserve"
	"roam-mcp/tui"
)

// tellProfiles has the help of a command list the profiles, and a shell complete their
// names. They are not made before somebody asks.
func tellProfiles(command *cobra.Command) {
	help := command.HelpFunc()
	command.SetHelpFunc(func(shown *cobra.Command, args []string) {
		var text strings.Builder
		for _, p := range mcpserve.Profiles() {
			fmt.Fprintf(&text, "\n  %-8s %s", p.Name, p.About)
		}
		shown.Long += "\n\nProfiles:" + text.String()
		help(shown, args)
	})
}

// completeProfiles is the completion of --profile.
func completeProfiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, p := range mcpserve.Profiles() {
		names = append(names, cobra.CompletionWithDesc(p.Name, p.About))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// shownProfiles are the profiles as the setup program shows them.
func shownProfiles() []tui.Profile {
	var shown []tui.Profile
	for _, p := range mcpserve.Profiles() {
		shown = append(shown, tui.Profile{Name: p.Name, About: p.About})
	}
	return shown
}

// byteSize is a flag that takes a number of bytes with a unit.
type byteSize int64

var _ pflag.Value = (*byteSize)(nil)

// Set implements pflag.Value.
func (s *byteSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n == 0 || n > 1<<40 {
		return errors.New("it takes a size such as 640MiB or 2GiB, up to 1TiB")
	}
	*s = byteSize(n)
	return nil
}

// String implements pflag.Value.
func (s *byteSize) String() string {
	if *s == 0 {
		return ""
	}
	return humanize.IBytes(uint64(*s))
}

// Type implements pflag.Value.
func (*byteSize) Type() string { return "size" }
