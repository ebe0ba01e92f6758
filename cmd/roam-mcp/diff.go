package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"roam-mcp/history"
	"roam-mcp/history/review"
	"roam-mcp/tui/kit"
)

// diffCommand shows what calls have changed.
func (a *app) diffCommand() *cobra.Command {
	var block string
	var asJSON bool
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
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := diffWanted{block: bareUID(block), to: math.MaxInt64}
			if len(args) == 0 && wanted.block == "" {
				return usageError(errors.New("diff needs to know of what: a number, a session or a range, or --block UID"))
			}
			if len(args) == 1 {
				if err := wanted.parse(args[0]); err != nil {
					return usageError(err)
				}
			}
			return a.diff(cmd.Context(), wanted, asJSON)
		},
	}
	command.Flags().StringVar(&block, "block", "", "only what changed at the block or page with this `uid`")
	command.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return command
}

// diffWanted is what diff is asked about.
type diffWanted struct {
	from, to int64 // numbers of calls, inclusive
	part     int   // of a call, from 1; 0: all of it
	session  int64 // 0: any
	block    string
}

func (w *diffWanted) parse(text string) error {
	bad := fmt.Errorf("%q is no change: it is a number such as 412, a part of it such as 412.2, a session such as s41, or a range such as 405..412", text)
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	if strings.HasPrefix(text, "s") {
		if w.session = number(text[1:]); w.session == 0 {
			return bad
		}
		return nil
	}
	if from, to, isRange := strings.Cut(text, ".."); isRange {
		if w.from, w.to = number(from), number(to); w.from == 0 || w.to < w.from {
			return bad
		}
		return nil
	}
	call, part, hasPart := strings.Cut(text, ".")
	w.from = number(call)
	w.to, w.part = w.from, int(number(part))
	if w.from == 0 || hasPart && w.part == 0 {
		return bad
	}
	return nil
}

// single reports whether one call is meant, by its number.
func (w diffWanted) single() bool { return w.from == w.to }

// diffStep is how many calls are read at a time.
const diffStep = 50

func (a *app) diff(ctx context.Context, wanted diffWanted, asJSON bool) error {
	face, end, err := a.openHistory(ctx)
	if err != nil {
		return err
	}
	defer end()
	face.settle(ctx)
	all := []listedDiff{}
	printed := 0
	err = face.records(ctx, wanted, func(record history.Record) error {
		d := face.diff(ctx, record, wanted.block)
		if asJSON {
			all = append(all, face.listedDiff(record, d))
			return nil
		}
		printed++
		return a.printDiff(d, printed > 1)
	})
	if err != nil {
		return err
	}
	if asJSON {
		return a.answerJSON(map[string]any{"calls": all})
	}
	if printed == 0 {
		a.tell("%s\n", nothingMatches)
	}
	return nil
}

// records hands over the calls that are meant, the oldest first. It fails where one
// call is meant that is not recorded.
func (f *historyFace) records(ctx context.Context, wanted diffWanted, each func(history.Record) error) error {
	if wanted.single() {
		record, found, err := f.journal.Record(ctx, wanted.from)
		if err != nil {
			return err
		}
		if wanted.part > 0 {
			record.Changes = slices.DeleteFunc(record.Changes, func(c history.ChangeRecord) bool { return c.Seq != wanted.part })
			if found && len(record.Changes) == 0 {
				return notRecorded(fmt.Sprintf("%d.%d", wanted.from, wanted.part))
			}
		}
		if !found {
			return notRecorded(strconv.FormatInt(wanted.from, 10))
		}
		return each(record)
	}
	filter := history.Filter{Session: wanted.session, Block: wanted.block, After: max(wanted.from-1, 0), Limit: diffStep, OldestFirst: true}
	if wanted.to < math.MaxInt64 {
		filter.Before = wanted.to + 1
	}
	for {
		page, err := f.journal.Calls(ctx, filter)
		if err != nil {
			return err
		}
		for _, call := range page.Calls {
			record, found, err := f.journal.Record(ctx, call.ID)
			if err != nil {
				return err
			}
			if !found { // purged meanwhile
				continue
			}
			if err := each(record); err != nil {
				return err
			}
			filter.After = call.ID
		}
		if !page.More || len(page.Calls) == 0 {
			return nil
		}
	}
}

// diffWidth is how wide a difference is set, apart from its texts.
const diffWidth = 76

// printDiff prints what a call has changed.
func (a *app) printDiff(d review.Diff, further bool) error {
	glyphs := kit.GlyphsFor(os.Environ())
	var out strings.Builder
	if further {
		out.WriteByte('\n')
	}
	for i, line := range d.Head {
		if i > 0 {
			line = "     " + line
		}
		fmt.Fprintln(&out, line)
	}
	if d.Says != "" {
		fmt.Fprintf(&out, "     it says: \"%s\"\n", d.Says)
	}
	for i, s := range d.Sections {
		if i > 0 {
			out.WriteByte('\n')
		}
		writeSection(&out, s)
	}
	for _, line := range d.Foot {
		fmt.Fprintf(&out, "  %s\n", line)
	}
	return a.answer("%s", glyphs.Transliterate(out.String()))
}

func writeSection(out *strings.Builder, s review.Section) {
	head := strings.Join(s.Path, " > ")
	if s.UID != "" {
		uid := "((" + kit.Sanitize(s.UID) + "))"
		head += strings.Repeat(" ", max(diffWidth-ansi.StringWidth(head)-ansi.StringWidth(uid), 2)) + uid
	}
	if head != "" {
		fmt.Fprintf(out, "  %s\n", head)
	}
	for _, line := range s.Lines {
		fmt.Fprintf(out, "  %s\n", strings.TrimRight(signOfLine(line.Kind)+" "+line.Text, " "))
	}
	if s.Now != "" {
		fmt.Fprintf(out, "  now: %s\n", s.Now)
	}
}

func signOfLine(kind review.Kind) string {
	switch kind {
	case review.Removed:
		return "-"
	case review.Added:
		return "+"
	case review.Note:
		return "~"
	case review.Context:
	}
	return " "
}
