package plain

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"roam-mcp/history"
	"roam-mcp/history/review"
	"roam-mcp/localapi"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

// listedCalls is how many calls are listed at a time.
const listedCalls = 20

// historyReader tells what agents have written.
type historyReader struct{ *session }

// read lists what agents have written, and tells what a call has changed.
func (h historyReader) read(ctx context.Context) error {
	if h.ports.History == nil {
		h.tell(h.words.NoHistory())
		return nil
	}
	if err := h.tellNotices(ctx); err != nil {
		return err
	}
	query, ok, err := h.chooseHistory(ctx)
	if err != nil || !ok {
		return err
	}
	before, more := int64(0), true
	for first := true; more; first = false {
		page, err := tui.ReadHistory(ctx, h.ports.History, query, before, 0, listedCalls, h.graphs.Now())
		if err != nil {
			h.fail(err)
			return ctx.Err()
		}
		lines := page.Lines[:min(len(page.Lines), listedCalls)]
		before, more = page.Low, page.More
		if len(lines) < len(page.Lines) {
			before, more = lines[len(lines)-1].Number, true
		}
		h.tellCalls(lines)
		switch {
		case len(lines) == 0 && more:
			h.tell("None of the newest calls fits; more looks through older ones.")
		case len(lines) == 0 && first:
			h.tellNoCalls(query)
			return nil
		}
		if on, err := h.chooseCall(ctx, more); err != nil || !on {
			return err
		}
	}
	return nil
}

// tellNotices tells what the journal has to say of itself. What is to be decided about the
// texts of a graph is asked instead.
func (h historyReader) tellNotices(ctx context.Context) error {
	notices, err := h.ports.History.Notices(ctx)
	if err != nil {
		h.fail(err)
	}
	for _, n := range notices {
		graph := localapi.Graph{Name: n.Graph.Name, Type: localapi.GraphType(n.Graph.Type)}
		entry, connected := h.roster.Config.FindGraph(graph)
		if n.Code != history.CodeTextsUnsaid || !connected {
			h.tell(strings.TrimSpace(n.Message + " " + h.words.Todo(n.Hint)))
		} else if err := h.askTexts(ctx, entry, localapi.EncryptionUnsaid); err != nil {
			return err
		}
	}
	return nil
}

// chooseHistory asks which calls are wanted; ok is false for none.
func (h historyReader) chooseHistory(ctx context.Context) (query tui.HistoryQuery, ok bool, err error) {
	options := []option{
		{word: "all", about: "all that agents have written"},
		{word: "today", about: "what they have written today"},
		{word: "graph", about: "what was written to one graph"},
		{word: "words", about: "calls with some words in them"},
		{word: "kept", about: "what is kept, and how to keep less"},
		{word: "back"},
	}
	i, err := h.choose(ctx, "Which calls", options, 0)
	if err != nil {
		return query, false, err
	}
	switch options[i].word {
	case "today":
		query.Since = tui.StartOfDay(h.graphs.Now())
	case "graph":
		entry, chosen, err := h.chooseGraph(ctx, "Of which graph", anyGraph)
		if err != nil || !chosen {
			return query, false, err
		}
		query.Graph = history.Graph{Name: entry.Name, Type: string(entry.Type)}
	case "words":
		h.tell("agent:NAME, graph:NAME and tool:NAME look in one place, page:TITLE for what was changed on a page, gone: for what was deleted, renamed or merged.")
		if query.Words, err = h.ask(ctx, "Words", "all calls"); err != nil {
			return query, false, err
		}
	case "kept":
		h.tell(h.words.HistoryKept(h.roster.Config)...)
		return query, false, nil
	case "back":
		return query, false, nil
	}
	return query, true, nil
}

// tellCalls tells of each call in a sentence, the newest first.
func (h historyReader) tellCalls(lines []review.Line) {
	for _, line := range lines {
		text := fmt.Sprintf("%d: %s, %s in %s, %s: ", line.Number, line.Time, line.Agent, line.Graph, line.Tool)
		if line.Summary != "" {
			text += line.Summary + ", "
		}
		h.tell(text + line.Result.Words + ".")
	}
}

func (h historyReader) tellNoCalls(query tui.HistoryQuery) {
	if query != (tui.HistoryQuery{}) {
		h.tell("Nothing that was written fits.")
		return
	}
	h.tell("Nothing is recorded yet.", h.words.HistoryToCome())
	h.tell(h.words.HistoryKept(h.roster.Config)...)
}

// chooseCall tells what calls have changed, one after another. It reports whether the
// list is to go on.
func (h historyReader) chooseCall(ctx context.Context, more bool) (on bool, err error) {
	question := "Number of a call, to see what it changed"
	if more {
		question += ", or more"
	}
	for {
		answer, err := h.ask(ctx, question, "back")
		if err != nil || answer == "" || strings.EqualFold(answer, "back") {
			return false, err
		}
		if more && strings.EqualFold(answer, "more") {
			return true, nil
		}
		number, err := strconv.ParseInt(answer, 10, 64)
		if err != nil || number < 1 {
			h.tell("Type the number that its line begins with.")
			continue
		}
		diff, err := h.ports.History.Diff(ctx, number)
		if err != nil {
			h.fail(err)
			continue
		}
		h.tellDiff(diff)
	}
}

// tellDiff tells what a call has changed: texts as they were after a minus sign, as they
// became after a plus sign.
func (h historyReader) tellDiff(diff review.Diff) {
	h.tell(diff.Head...)
	if diff.Says != "" {
		h.tell("It says: “" + diff.Says + "”")
	}
	for _, section := range diff.Sections {
		where := strings.Join(section.Path, " > ")
		if section.UID != "" {
			where += " ((" + section.UID + "))"
		}
		h.tellIn("  ", strings.TrimSpace(where))
		for _, line := range section.Lines {
			h.tellDiffLine(line)
		}
		if section.Now != "" {
			h.tellIn("    ", "now: "+section.Now)
		}
	}
	h.tell(diff.Foot...)
}

func (h historyReader) tellDiffLine(line review.DiffLine) {
	sign := map[review.Kind]string{review.Removed: "- ", review.Added: "+ ", review.Note: "~ "}[line.Kind]
	text := strings.TrimLeft(line.Text, " ")
	lead := "    " + sign + strings.Repeat(" ", min(len(line.Text)-len(text), lineWidth/3))
	for _, part := range kit.Hang(lead, kit.Wrap(h.line(text), lineWidth-len(lead))) {
		h.say(part)
	}
}
