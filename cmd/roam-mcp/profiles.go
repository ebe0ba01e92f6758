package main

import (
	"errors"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roam-mcp/internal/localapi"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
	"roam-mcp/tui"
)

// tellLists has the help of a command show lists.
func (a *app) tellLists(command *cobra.Command, lists func() []helpList) {
	if a.lists == nil {
		a.lists = map[*cobra.Command]func() []helpList{}
	}
	a.lists[command] = lists
}

// profileList lists the profiles.
func profileList() []helpList {
	list := helpList{title: "Profiles"}
	for _, p := range mcpserve.Profiles() {
		list.rows = append(list.rows, helpRow{p.Name, p.About})
	}
	return []helpList{list}
}

// profileAndToolsetLists lists the profiles with their toolsets.
func profileAndToolsetLists() []helpList {
	all := mcpserve.Profiles()
	own, others := helpList{title: "Toolsets"}, helpList{title: "Toolsets of the other profiles"}
	for _, t := range all[0].Toolsets {
		own.rows = append(own.rows, helpRow{t.Name, toolsetAbout(t)})
	}
	for _, p := range all[1:] {
		var names []string
		for _, t := range p.Toolsets {
			names = append(names, t.Name)
		}
		others.rows = append(others.rows, helpRow{p.Name, strings.Join(names, ", ")})
	}
	return append(profileList(), own, others)
}

func toolsetAbout(t surface.Toolset) string {
	if t.On {
		return t.About
	}
	return t.About + " (only where it is named)"
}

// levelList lists the access levels.
func levelList() []helpList {
	list := helpList{title: "Access levels"}
	for _, level := range localapi.RequestableLevels() {
		list.rows = append(list.rows, helpRow{string(level), "agents can " + level.Explain()})
	}
	return []helpList{list}
}

// shownProfiles are the profiles as the setup program shows them.
func shownProfiles() []tui.Profile {
	var shown []tui.Profile
	for _, p := range mcpserve.Profiles() {
		profile := tui.Profile{Name: p.Name, About: p.About}
		for _, set := range p.Toolsets {
			profile.Toolsets = append(profile.Toolsets, tui.Toolset{Name: set.Name, About: set.About, On: set.On})
		}
		shown = append(shown, profile)
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
