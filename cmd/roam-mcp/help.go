package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
	"roam-mcp/tui/kit"
)

// Widths in cells that help is set to: that of the terminal up to the most, or the usual
// one where there is no terminal.
const (
	mostHelpWidth  = 100
	usualHelpWidth = 80
)

// helpList is a list of names that the help of a command has below its flags.
type helpList struct {
	title string
	rows  []helpRow
}

type helpRow struct{ name, about string }

// helpWidth returns how wide help is set.
func helpWidth(out *os.File) int {
	width, _, err := term.GetSize(out.Fd())
	if err != nil || width <= 0 {
		return usualHelpWidth
	}
	return min(width, mostHelpWidth)
}

// printHelp prints what a command does and takes.
func (a *app) printHelp(command *cobra.Command, _ []string) {
	_, _ = fmt.Fprint(showing{command.OutOrStdout()}, a.helpText(command, helpWidth(a.out)))
}

// helpText returns the help of a command in lines of a width.
func (a *app) helpText(command *cobra.Command, width int) string {
	var out strings.Builder
	section := func(title string, lines ...string) {
		if len(lines) > 0 {
			fmt.Fprintf(&out, "\n%s:\n%s\n", title, strings.Join(lines, "\n"))
		}
	}
	fmt.Fprintln(&out, strings.Join(prose(cmp.Or(command.Long, command.Short+"."), width), "\n"))
	var usage []string
	if command.Runnable() {
		usage = append(usage, kit.Indent([]string{command.UseLine()}, 2)...)
	}
	if command.HasAvailableSubCommands() {
		usage = append(usage, "  "+command.CommandPath()+" COMMAND")
	}
	section("Usage", usage...)
	section("Examples", examples(command, width)...)
	for _, group := range commandGroups(command) {
		section(group.title, table(group.rows, width)...)
	}
	for _, list := range a.listsOf(command) {
		section(list.title, table(list.rows, width)...)
	}
	section("Flags", flagLines(command.LocalFlags(), width)...)
	section("Global flags", flagLines(command.InheritedFlags(), width)...)
	if command.HasAvailableSubCommands() {
		more := kit.Wrap(command.CommandPath()+" COMMAND --help tells more about a command.", width)
		fmt.Fprintf(&out, "\n%s\n", strings.Join(more, "\n"))
	}
	return out.String()
}

// listsOf makes the lists that the help of a command shows.
func (a *app) listsOf(command *cobra.Command) []helpList {
	if lists := a.lists[command]; lists != nil {
		return lists()
	}
	return nil
}

// prose breaks a text at words. Its paragraphs are set apart by empty lines; lines that
// are indented stay lines.
func prose(text string, width int) []string {
	var lines []string
	text = strings.ReplaceAll(strings.TrimSpace(text), "\t", "  ")
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			lines = append(lines, "")
		}
		if !strings.HasPrefix(paragraph, " ") {
			lines = append(lines, kit.Wrap(paragraph, width)...)
			continue
		}
		for line := range strings.Lines(paragraph) {
			words := strings.TrimLeft(line, " ")
			lines = append(lines, kit.Hang(line[:len(line)-len(words)], kit.Wrap(words, width-2))...)
		}
	}
	return lines
}

// examples returns the examples of a command. In its field a line is an example, and one
// that begins with # says what the next one does.
func examples(command *cobra.Command, width int) []string {
	var lines []string
	for line := range strings.Lines(command.Example) {
		line = strings.TrimSpace(line)
		if about, ok := strings.CutPrefix(line, "# "); ok {
			lines = append(lines, kit.Hang("  # ", kit.Wrap(about, width-4))...)
		} else {
			lines = append(lines, "  "+line) // to copy, and so in one piece
		}
	}
	return lines
}

// commandGroups returns the commands below one, in their groups.
func commandGroups(command *cobra.Command) []helpList {
	var groups []helpList
	for _, group := range command.Groups() {
		groups = append(groups, helpList{title: group.Title, rows: commandRows(command, group.ID)})
	}
	if rest := commandRows(command, ""); len(rest) > 0 {
		groups = append(groups, helpList{title: "Commands", rows: rest})
	}
	return groups
}

func commandRows(command *cobra.Command, group string) (rows []helpRow) {
	for _, below := range command.Commands() {
		if (below.IsAvailableCommand() || below.Name() == "help") && below.GroupID == group {
			rows = append(rows, helpRow{below.Name(), below.Short})
		}
	}
	return rows
}

// table sets names in a column beside what they mean.
func table(rows []helpRow, width int) []string {
	column := 0
	for _, row := range rows {
		column = max(column, ansi.StringWidth(row.name))
	}
	var lines []string
	for _, row := range rows {
		lead := fmt.Sprintf("  %-*s  ", column, row.name)
		lines = append(lines, kit.Hang(lead, kit.Wrap(row.about, width-ansi.StringWidth(lead)))...)
	}
	return lines
}

func flagLines(flags *pflag.FlagSet, width int) []string {
	if !flags.HasAvailableFlags() {
		return nil
	}
	return strings.Split(strings.TrimRight(flags.FlagUsagesWrapped(width), "\n"), "\n")
}

// helpCommand is "help", which refuses what is no command.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Tell what a command does and takes", Args: cobra.ArbitraryArgs,
		Example: "roam-mcp help connect\nroam-mcp help sandbox export",
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil {
				return usageError(err)
			}
			if len(rest) > 0 {
				return unknownCommand(found, rest[0])
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			found, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []cobra.Completion
			for _, below := range found.Commands() {
				if below.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(below.Name(), below.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// arguments checks the number of arguments and says how the command is used.
func arguments(least, most int) cobra.PositionalArgs {
	return func(command *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			names := strings.Fields(command.Use)[1:]
			return fmt.Errorf("%s is missing: %s", strings.Join(names[len(args):least], " "), command.UseLine())
		case len(args) > most && command.HasSubCommands():
			return unknownCommand(command, args[most])
		case len(args) > most:
			return fmt.Errorf("%q is one argument too many: %s", args[most], command.UseLine())
		}
		return nil
	}
}

// unknownCommand is the error of a word that is no command below another one.
func unknownCommand(above *cobra.Command, word string) error {
	var names []string
	meant := ""
	for _, below := range above.Commands() {
		if below.IsAvailableCommand() {
			names = append(names, below.Name())
			if slices.ContainsFunc(below.SuggestFor, func(other string) bool { return strings.EqualFold(other, word) }) {
				meant = below.Name()
			}
		}
	}
	wrong := &problem.Error{
		Code: codeUsage, Message: fmt.Sprintf("%s has no command %q.", above.CommandPath(), word),
		Hint: problem.Say("See %s.", commandOf(above).With("--help")),
	}
	if meant = cmp.Or(meant, textsafe.Closest(word, names)); meant != "" {
		wrong.Hint = problem.Say("Did you mean %s?", commandOf(above, meant))
	}
	return wrong
}

// commandOf returns a command of the tree, or one below it, as hints have it.
func commandOf(command *cobra.Command, below ...string) problem.Command {
	path := append(strings.Fields(command.CommandPath())[1:], below...)
	return problem.Run(strings.Join(path, " ")).Anywhere()
}

// unknownFlag is the error of a flag that a command does not take.
func unknownFlag(command *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedName() == "" {
		return err
	}
	var names []string
	command.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	wrong := &problem.Error{Code: codeUsage, Message: fmt.Sprintf("%s has no flag --%s.", command.CommandPath(), unknown.GetSpecifiedName()), Err: err}
	if meant := textsafe.Closest(unknown.GetSpecifiedName(), names); meant != "" {
		wrong.Hint = problem.Say("Did you mean --%s?", meant)
	}
	return wrong
}
