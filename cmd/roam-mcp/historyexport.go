package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"roam-mcp/internal/files"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/problem"
)

// historyExportCommand writes what was recorded.
func (a historyCommands) historyExportCommand() *cobra.Command {
	var flags historyFlags
	var yes bool
	command := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write what agents have written, with all texts, as lines of JSON",
		Long: `Write what agents have written as lines of JSON, a call each, with its changes and
all that is kept of what was there before and after. FILE is readable by you alone;
without it they go to standard output. TIME is as for roam-mcp history.`,
		Example: "roam-mcp history export writes.jsonl --since 7d",
		Args:    arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			path := ""
			if len(args) == 1 {
				path = args[0]
			}
			return a.exportHistory(cmd.Context(), flags, path, yes)
		},
	}
	flags.register(command)
	command.Flags().BoolVar(&yes, "yes", false, "replace FILE without asking")
	return command
}

func (a historyCommands) exportHistory(ctx context.Context, flags historyFlags, path string, yes bool) error {
	face, end, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	filter, err := flags.Filter(face.config, time.Now())
	if err != nil {
		return usageError(err)
	}
	if path == "" || path == "-" {
		return a.answerData(func(out io.Writer) error { return face.journal.Export(ctx, out, filter) })
	}
	if path, err = expandHome(path); err != nil {
		return err
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	if err := a.mayReplace(ctx, path, yes); err != nil {
		return err
	}
	if err := face.exportTo(ctx, path, filter); err != nil {
		return err
	}
	a.tell("What agents wrote is in %s.\n", path)
	return nil
}

// mayReplace asks whether a file may be replaced, if there is one.
func (a historyCommands) mayReplace(ctx context.Context, path string, yes bool) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return usageError(err)
	}
	if info.IsDir() {
		return usageError(fmt.Errorf("%s is a folder", path))
	}
	if yes {
		return nil
	}
	if !isTerminal(a.in) {
		return usageError(fmt.Errorf("%s is there already, and there is no terminal to ask in; give --yes to replace it", path))
	}
	a.tell("Replace %s? [y/N] ", path)
	if yes, err = saidYes(ctx, a.in); err != nil {
		return err
	}
	if !yes {
		return failed("Nothing was written.", problem.Hint{})
	}
	return nil
}

// exportTo writes calls to a file that only its owner can read. The file is whole, or
// not there.
func (f *historyFace) exportTo(ctx context.Context, path string, filter history.Filter) error {
	file, err := files.StartReplacement(path, nil)
	if err != nil {
		return failed("The file can't be written: "+err.Error()+".", problem.Hint{})
	}
	defer func() { _ = file.Discard() }()
	out := bufio.NewWriter(file)
	if err := errors.Join(f.journal.Export(ctx, out, filter), out.Flush()); err != nil {
		return err
	}
	return file.Commit()
}
