package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roam-mcp/internal/testutil/golden"
)

// TestTheCommandsPage compares docs/COMMANDS.md with the tree of commands and the exit
// codes; -update writes it anew.
func TestTheCommandsPage(t *testing.T) {
	const path = "../../docs/COMMANDS.md"
	a := &app{}
	golden.Section(t, path, "<!-- commands -->\n", "<!-- /commands -->", commandsPage(a, a.rootCommand()))
	var codes strings.Builder
	codes.WriteString("| code | means |\n|---|---|\n")
	for _, each := range exitCodes() {
		fmt.Fprintf(&codes, "| %s | %s |\n", each.name, inCell(each.about))
	}
	golden.Section(t, path, "<!-- exit codes -->\n", "<!-- /exit codes -->", codes.String())
}

// mostListed is how long a list may be that the page has: that of the clients has a page of
// its own.
const mostListed = 20

// markdownPage is a page of commands in the making.
type markdownPage struct{ strings.Builder }

// commandsPage returns what the help of all commands says, in Markdown.
func commandsPage(a *app, root *cobra.Command) string {
	var page markdownPage
	page.WriteString("\n## Flags of all commands\n\n")
	page.flags(root.LocalFlags())
	for _, group := range root.Groups() {
		fmt.Fprintf(&page, "## %s\n\n", group.Title)
		for _, command := range root.Commands() {
			if command.GroupID == group.ID {
				page.command(a, command)
			}
		}
	}
	return page.String()
}

// command writes the part of one command and those below it.
func (p *markdownPage) command(a *app, command *cobra.Command) {
	if !command.IsAvailableCommand() {
		return
	}
	fmt.Fprintf(p, "### `%s`\n\n", strings.TrimSuffix(command.UseLine(), " [flags]"))
	p.prose(cmp.Or(command.Long, command.Short+"."))
	for _, list := range a.listsOf(command) {
		if len(list.rows) > mostListed {
			fmt.Fprintf(p, "%s: [all %d](CLIENTS.md#5-the-clients).\n\n", list.title, len(list.rows))
			continue
		}
		var names []string
		for _, row := range list.rows {
			names = append(names, strings.TrimSpace("`"+row.name+"` "+inText(row.about)))
		}
		fmt.Fprintf(p, "%s: %s.\n\n", list.title, strings.TrimSuffix(strings.Join(names, "; "), "."))
	}
	p.flags(command.NonInheritedFlags())
	if command.Example != "" {
		p.WriteString("```sh\n")
		for line := range strings.Lines(command.Example) {
			p.WriteString(strings.TrimSpace(line) + "\n")
		}
		p.WriteString("```\n\n")
	}
	for _, below := range command.Commands() {
		p.command(a, below)
	}
}

// prose writes paragraphs, a line each. One that is indented is code.
func (p *markdownPage) prose(text string) {
	for paragraph := range strings.SplitSeq(strings.Trim(text, "\n"), "\n\n") {
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			fmt.Fprintf(p, "```\n%s\n```\n\n", paragraph)
			continue
		}
		p.WriteString(inText(strings.Join(strings.Fields(paragraph), " ")) + "\n\n")
	}
}

func (p *markdownPage) flags(flags *pflag.FlagSet) {
	var rows strings.Builder
	flags.VisitAll(func(flag *pflag.Flag) {
		value, about := pflag.UnquoteUsage(flag)
		if flag.Hidden || flag.Name == "help" || flag.Name == "version" {
			return
		}
		switch flag.DefValue {
		case "", "[]", "0", "0s", "false":
		default:
			about += " (default " + flag.DefValue + ")"
		}
		fmt.Fprintf(&rows, "| `%s` | %s |\n", strings.ReplaceAll(strings.TrimSpace("--"+flag.Name+" "+value), "|", `\|`), inCell(about))
	})
	if rows.Len() > 0 {
		fmt.Fprintf(p, "| flag | what it does |\n|---|---|\n%s\n", rows.String())
	}
}

// inCell returns a text for the cell of a table.
func inCell(text string) string { return strings.ReplaceAll(inText(text), "|", `\|`) }

// inText returns a text whose flags and names of variables are code, and which Markdown
// leaves as it is.
func inText(text string) string {
	text = strings.NewReplacer("<", "&lt;", "*", `\*`, "[[", `\[[`).Replace(text)
	return regexp.MustCompile(`(^|[\s(])(--[a-z][a-z-]*|[A-Z]+_[A-Z_]+)`).ReplaceAllString(text, "$1`$2`")
}

// exitCodes lists the exit codes with what they mean.
func exitCodes() []helpRow {
	return []helpRow{
		{"0", "done"},
		{"1", "failed"},
		{"2", "wrong usage, or a configuration that can't be used"},
		{"3", "rejected in Roam"},
		{"4", "blocked in Roam"},
		{"5", "no answer in time"},
		{"6", "another request is pending"},
		{"7", "Roam can't be reached"},
		{"8", "the Local API is disabled"},
		{"9", "undone as far as possible: something was changed since, and is left as it is; of self remove: something is in use"},
		{"10", "of call: it is not known whether a write was done"},
		{"130", "interrupted"},
	}
}
