package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"roam-mcp/internal/problem"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
)

// list prints the tools of a profile by toolset, a line each.
func (a callCommands) list(o callOptions) error {
	profile, err := mcpserve.FindProfile(o.profile)
	if err != nil {
		return err
	}
	var out strings.Builder
	for i, set := range profile.Toolsets {
		if i > 0 {
			out.WriteByte('\n')
		}
		fmt.Fprintf(&out, "%s: %s\n", set.Name, set.About)
		var rows []helpRow
		for _, tool := range profile.Tools {
			if tool.Toolset == set.Name && (!o.readOnly || !tool.Writes()) {
				rows = append(rows, helpRow{tool.Name, firstSentence(toolWorld(profile).Say(tool.Description))})
			}
		}
		fmt.Fprintln(&out, strings.Join(table(rows, helpWidth(a.out)), "\n"))
	}
	return a.answer("%s", out.String())
}

// toolWorld names the tools of a profile.
func toolWorld(profile surface.Profile) problem.World {
	return problem.World{Tool: profile.ToolName}
}

func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".")
}

// toolHelp prints what a tool does and takes.
func (a callCommands) toolHelp(command *cobra.Command, o callOptions, name string) error {
	profile, err := mcpserve.FindProfile(o.profile)
	if err != nil {
		return err
	}
	tool, err := findTool(profile, name)
	if err != nil {
		return err
	}
	width, world := helpWidth(a.out), toolWorld(profile)
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\nUsage:\n  %s %s%s [flags]\n", strings.Join(prose(world.Say(tool.Description), width), "\n"), command.CommandPath(), tool.Name, usual(tool))
	var rows []helpRow
	for _, param := range tool.Params {
		rows = append(rows, paramRow(param, world))
		for _, field := range param.Fields {
			row := paramRow(field, world)
			rows = append(rows, helpRow{"  " + row.name, row.about})
		}
	}
	if len(rows) > 0 {
		fmt.Fprintf(&out, "\nArguments:\n%s\n", strings.Join(table(rows, width), "\n"))
	}
	if profile.Mirrors {
		fmt.Fprintf(&out, "\nThe profile %s holds the graph in memory, which is loaded for this call.\n", profile.Name)
	}
	fmt.Fprintf(&out, "\nFlags are those of %s --help.\n", command.CommandPath())
	_, err = fmt.Fprint(showing{command.OutOrStdout()}, out.String())
	return err
}

// usual returns the arguments that a tool has to be given, as they are written; else the first one
// that it takes, which it need not be given.
func usual(tool surface.Tool) string {
	var out strings.Builder
	for _, param := range tool.Params {
		if param.Required {
			fmt.Fprintf(&out, " %s=…", param.Name)
		}
	}
	if out.Len() == 0 && len(tool.Params) > 0 {
		return " [" + tool.Params[0].Name + "=…]"
	}
	return out.String()
}

// paramRow returns the line on a parameter.
func paramRow(param surface.Param, world problem.World) helpRow {
	kinds := map[surface.Kind]string{
		surface.String: "text", surface.Integer: "whole number", surface.Boolean: "true or false", surface.Strings: "texts", surface.Object: "JSON object",
		surface.Order: "first, last or a number from 0", surface.Values: "JSON array", surface.Objects: "JSON objects", surface.Number: "number",
	}
	kind := kinds[param.Kind]
	if len(param.Choices) > 0 {
		kind = strings.Join(param.Choices, ", ")
	}
	about := []string{kind}
	if param.Required {
		about[0] += "; required"
	}
	if param.Default != nil {
		about[0] += fmt.Sprintf("; default %v", param.Default)
	}
	if said := world.Say(param.About); said != "" {
		about = append(about, said)
	}
	return helpRow{param.Name, strings.Join(about, ". ")}
}

// complete completes the tool, then the names of its arguments, those first that it has to be given,
// then a value that has choices. Roam is not asked.
func (a callCommands) complete(command *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	profile, err := mcpserve.FindProfile(command.Flag("profile").Value.String())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if len(args) == 0 {
		var tools []cobra.Completion
		for _, tool := range profile.Tools {
			tools = append(tools, cobra.CompletionWithDesc(tool.Name, firstSentence(toolWorld(profile).Say(tool.Description))))
		}
		return tools, cobra.ShellCompDirectiveNoFileComp
	}
	tool, err := findTool(profile, args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if name, _, begunValue := strings.Cut(begun, "="); begunValue {
		return a.completeValue(command, tool, strings.TrimSuffix(name, ":"))
	}
	params := slices.DeleteFunc(slices.Clone(tool.Params), func(param surface.Param) bool {
		return slices.ContainsFunc(args[1:], func(arg string) bool {
			return strings.HasPrefix(arg, param.Name+"=") || strings.HasPrefix(arg, param.Name+":=")
		})
	})
	slices.SortStableFunc(params, func(a, b surface.Param) int {
		rank := map[bool]int{true: 0, false: 1}
		return cmp.Compare(rank[a.Required], rank[b.Required])
	})
	var names []cobra.Completion
	for _, param := range params {
		names = append(names, cobra.CompletionWithDesc(param.Name+"=", paramRow(param, toolWorld(profile)).about))
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveKeepOrder
}

// completeValue completes the value of an argument.
func (a callCommands) completeValue(command *cobra.Command, tool surface.Tool, name string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var values []cobra.Completion
	if name == surface.ParamGraph {
		nicknames, _ := a.completeNicknames(command, nil, "")
		for _, nickname := range nicknames {
			values = append(values, name+"="+nickname)
		}
	}
	for _, param := range tool.Params {
		if param.Name != name {
			continue
		}
		choices := param.Choices
		if param.Kind == surface.Boolean {
			choices = []string{"true", "false"}
		}
		for _, choice := range choices {
			values = append(values, name+"="+choice)
		}
	}
	return values, cobra.ShellCompDirectiveNoFileComp
}

// ask asks the person at the terminal what the server would ask in a form.
func (a callCommands) ask(ctx context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	a.tell("%s\n", request.Params.Message)
	content := map[string]any{}
	for _, field := range formFields(request.Params.RequestedSchema) {
		a.tell("%s [%s]: ", field.Title, field.Default)
		text, err := typed(ctx, a.in, readLine)
		if err != nil {
			return nil, err
		}
		content[field.name] = cmp.Or(strings.TrimSpace(text), field.Default)
	}
	if len(content) == 0 {
		a.tell("[y/N] ")
		if yes, err := saidYes(ctx, a.in); err != nil || !yes {
			return &mcp.ElicitResult{Action: "decline"}, err
		}
	}
	return &mcp.ElicitResult{Action: "accept", Content: content}, nil
}

// formField is a text that a form asks for.
type formField struct {
	name           string
	Title, Default string
}

// formFields returns the fields of a form, in order of their names.
func formFields(schema any) (fields []formField) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil
	}
	var form struct{ Properties map[string]formField }
	if json.Unmarshal(text, &form) != nil {
		return nil
	}
	for name, field := range form.Properties {
		field.name, field.Title = name, cmp.Or(field.Title, name)
		fields = append(fields, field)
	}
	slices.SortFunc(fields, func(a, b formField) int { return cmp.Compare(a.name, b.name) })
	return fields
}
