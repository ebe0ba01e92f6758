package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/review"
	"roam-mcp/tui/historyview"
	"roam-mcp/tui/kit"
)

// diffCommand shows what calls have changed.
func (a historyCommands) diffCommand() *cobra.Command {
	var o diffOptions
	command := &cobra.Command{
		Use:   "diff [NUMBER|NUMBER.PART|SESSION|FROM..TO]",
		Short: "Show what agents have changed, and what became of it since",
		Long: `Show what agents have changed, and what became of it since: of one entry of
roam-mcp history (412), of a part of it (412.2), of a session (s41), of a range
(405..412), or with --block of one block or page, in all of them or in those named.
Lines with - are what was there, lines with + what came in its place.`,
		Example: `roam-mcp diff 412
# Everything that a session changed
roam-mcp diff s41
roam-mcp diff --block hH38FJnvO`,
		SuggestFor: []string{"show"},
		Args:       arguments(0, 1),

		ValidArgsFunction: first(atHand(a).completeRecent(numberAt)),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := historyview.Range{}
			if len(args) == 1 {
				var err error
				if wanted, err = historyview.ParseRange(args[0]); err != nil {
					return usageError(err)
				}
			}
			wanted.Block = historyview.BareUID(o.block)
			if len(args) == 0 && wanted.Block == "" {
				return usageError(errors.New("diff needs to know of what: a number, a session or a range, or --block UID"))
			}
			if o.markdown && o.json {
				return usageError(errors.New("--markdown and --json are two forms of the answer: choose one"))
			}
			return a.diff(cmd.Context(), wanted, o)
		},
	}
	command.Flags().StringVar(&o.block, "block", "", "only what changed at the block or page with this `uid`")
	command.Flags().BoolVar(&o.all, "all", false, "show every line")
	command.Flags().BoolVar(&o.markdown, "markdown", false, "print what was deleted, to be pasted into Roam")
	command.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return command
}

// diffOptions are the flags of diff.
type diffOptions struct {
	block               string
	all, markdown, json bool
}

func (a historyCommands) diff(ctx context.Context, wanted historyview.Range, o diffOptions) error {
	face, end, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	face.Settle(ctx)
	all := []historyview.DiffJSON{}
	glyphs, printed := kit.GlyphsFor(os.Environ()), 0
	err = face.Records(ctx, wanted, func(record history.Record) error {
		if o.markdown {
			return a.answerData(func(out io.Writer) error {
				text := review.GoneMarkdown(record, wanted.Block)
				printed += len(text)
				_, err := io.WriteString(out, text)
				return err
			})
		}
		tell := face.RecordDiff
		if o.all {
			tell = face.RecordAll
		}
		d := tell(ctx, record, wanted.Block)
		if o.json {
			all = append(all, face.DiffJSON(record, d))
			return nil
		}
		if printed++; printed > 1 {
			if err := a.answer("\n"); err != nil {
				return err
			}
		}
		return a.answer("%s", historyview.DiffText(glyphs, d))
	})
	if err != nil {
		return err
	}
	if o.json {
		return a.answerJSON(map[string]any{"calls": all})
	}
	if printed == 0 {
		a.tell("%s\n", nothingMatches)
	}
	return nil
}
