package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manCommand is "man". The libraries that write manual pages of cobra's commands are no
// part of the program: one reads the texts as Markdown and needs a parser of it, the other
// leaves out most of the texts and writes the time into the page.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "Print the manual page", Args: arguments(0, 0),
		Long: `Print the manual page, which tells all that the help of the commands tells. It is
the same wherever it is made.`,
		Example: `roam-mcp man | man -l -
roam-mcp man > ~/.local/share/man/man1/roam-mcp.1`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.answer("%s", a.manPage(cmd.Root()))
		},
	}
}

// roff is a manual page in the making, in the macros of man(7).
type roff struct{ strings.Builder }

// manPage returns the manual page of all commands.
func (a *app) manPage(root *cobra.Command) string {
	var page roff
	page.macro("TH", "ROAM-MCP", "1", "", "roam-mcp "+version(), "")
	page.macro("SH", "NAME")
	page.text("roam-mcp - " + root.Short)
	page.macro("SH", "SYNOPSIS")
	page.macro("B", "roam-mcp")
	page.text("[COMMAND] [ARGUMENT...] [--FLAG...]")
	page.macro("SH", "DESCRIPTION")
	page.prose(root.Long)
	page.macro("SH", "FLAGS OF ALL COMMANDS")
	page.flags(root.Flags())
	for _, group := range root.Groups() {
		page.macro("SH", strings.ToUpper(group.Title))
		for _, command := range root.Commands() {
			if command.GroupID == group.ID {
				a.manOf(&page, command)
			}
		}
	}
	page.examples(root, "SH")
	page.macro("SH", "EXIT STATUS")
	for _, each := range exitCodes() {
		page.item(each.name, each.about)
	}
	return page.String()
}

// manOf writes the part of one command and those below it.
func (a *app) manOf(page *roff, command *cobra.Command) {
	if !command.IsAvailableCommand() {
		return
	}
	page.macro("SS", command.UseLine())
	page.prose(cmp.Or(command.Long, command.Short+"."))
	for _, list := range a.listsOf(command) {
		page.macro("PP")
		page.text(list.title + ":")
		for _, row := range list.rows {
			page.item(row.name, row.about)
		}
	}
	page.flags(command.NonInheritedFlags())
	page.examples(command, "PP")
	for _, below := range command.Commands() {
		a.manOf(page, below)
	}
}

// macro writes a line that begins with a macro.
func (r *roff) macro(name string, arguments ...string) {
	fmt.Fprintf(r, ".%s", name)
	for _, each := range arguments {
		fmt.Fprintf(r, ` "%s"`, strings.ReplaceAll(escapeRoff(each), `"`, `\(dq`))
	}
	fmt.Fprintln(r)
}

// text writes a line of text.
func (r *roff) text(line string) {
	line = escapeRoff(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	fmt.Fprintln(r, line)
}

// escapeRoff returns text without what roff would take for its own. A hyphen is made one
// that can be copied into a shell.
func escapeRoff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `...`).Replace(text)
}

func (r *roff) prose(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			r.macro("PP")
		}
		for line := range strings.Lines(paragraph) {
			r.text(strings.TrimSpace(line))
		}
	}
}

func (r *roff) item(name, about string) {
	r.macro("TP")
	r.macro("B", name)
	r.text(about)
}

func (r *roff) flags(flags *pflag.FlagSet) {
	flags.VisitAll(func(flag *pflag.Flag) {
		value, about := pflag.UnquoteUsage(flag)
		if !flag.Hidden && flag.Name != "help" && flag.Name != "version" {
			switch flag.DefValue {
			case "", "[]", "0", "0s", "false":
			default:
				about += " (default " + flag.DefValue + ")"
			}
			r.item(strings.TrimSpace("--"+flag.Name+" "+value), about)
		}
	})
}

func (r *roff) examples(command *cobra.Command, macro string) {
	if command.Example == "" {
		return
	}
	if macro == "SH" {
		r.macro(macro, "EXAMPLES")
	} else {
		r.macro(macro)
		r.text("Examples:")
	}
	r.macro("PP")
	r.macro("nf")
	for line := range strings.Lines(command.Example) {
		r.text("    " + strings.TrimSpace(line))
	}
	r.macro("fi")
}
