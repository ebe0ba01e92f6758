package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox"
)

// The forms that a graph can be exported in.
const (
	formatJSON     = "json"
	formatMarkdown = "markdown"
)

// exportCommand is "sandbox export", which works whether the sandbox runs or not.
func (a sandboxCommands) exportCommand() *cobra.Command {
	var home, graphType, format, output string
	command := &cobra.Command{
		Use:   "export GRAPH",
		Short: "Export a graph of the sandbox",
		Long: `Export a graph of the sandbox, whether it runs or not: as a Roam JSON export,
which Roam imports, or as a folder of markdown files, a file a page. Both make an
equal graph again with roam-mcp sandbox --import.`,
		Example: `roam-mcp sandbox export demo --output demo.json
roam-mcp sandbox export demo --format markdown --output demo`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind := localapi.GraphType("")
			if graphType != "" {
				var err error
				if kind, err = localapi.ParseGraphType(graphType); err != nil {
					return usageError(err)
				}
			}
			options := sandbox.ExportOptions{Home: sandboxHome(), Graph: args[0], Type: kind}
			if home != "" {
				var err error
				if options.Home, err = expandHome(home); err != nil {
					return err
				}
			}
			return a.exportGraph(cmd.Context(), options, format, output)
		},
	}
	flags := command.Flags()
	flags.StringVar(&home, "home", "", "home `folder` of the sandbox's world (default: the usual one)")
	flags.StringVar(&graphType, "graph-type", "", "`type` of the graph, where both have its name: hosted or offline")
	flags.StringVar(&format, "format", formatJSON, "json or markdown")
	flags.StringVarP(&output, "output", "o", "", "`path` of the file or folder to write (default for json: standard output)")
	return command
}

func (a sandboxCommands) exportGraph(ctx context.Context, options sandbox.ExportOptions, format, output string) error {
	path, err := expandHome(output)
	if err != nil {
		return err
	}
	if path != "" && path != "-" {
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
	}
	switch {
	case format == formatMarkdown && (path == "" || path == "-"):
		return usageError(errors.New("--format markdown writes a folder, which --output must name"))
	case format == formatMarkdown:
		pages, err := sandbox.ExportMarkdown(ctx, options, path)
		if err != nil {
			return err
		}
		a.tell("%s is in %s: %s pages.\n", options.Graph, path, humanize.Comma(int64(pages)))
		return nil
	case format != formatJSON:
		return usageError(fmt.Errorf("%q is no format: it is json or markdown", format))
	case path == "" || path == "-":
		return a.answerData(func(out io.Writer) error { return sandbox.ExportJSON(ctx, options, out) })
	}
	if err := sandbox.ExportJSONFile(ctx, options, path); err != nil {
		return err
	}
	a.tell("%s is in %s.\n", options.Graph, path)
	return nil
}
