package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/textsafe"
)

// mostOfQuestion is how many characters a question to a person may have.
const mostOfQuestion = 4000

// Change is one of the things that a write does, as a person is told of it.
type Change struct {
	Does string   // such as "delete a block"
	Of   []string // uids of pages and blocks, which are shown as they stand now
	With bool     // with all below them
	At   string   // uid of the page or block below which it is done; empty: Does says where
	Then []string // lines that will stand there, in this order

	Order  []string // uids of blocks that will stand there in this order
	Texts  []string // that will stand there: what they embed and refer to is shown, too
	Brings bool     // Of will stand there, too
}

// addition returns the Change that adds blocks below a page or block.
func addition(does, at string, blocks ...outline.Block) Change {
	return Change{Does: does, At: at, Then: outlineLines(blocks, ""), Texts: blockTexts(blocks)}
}

func blockTexts(blocks []outline.Block) (texts []string) {
	for _, b := range blocks {
		texts = append(append(texts, b.String), blockTexts(b.Children)...)
	}
	return texts
}

// askAbout returns the question whether a change of the guidelines may be made. It has all
// that will stand there, and all that goes or is moved, as it is now. The error is that
// of the write where this can't be shown whole.
func askAbout(ctx context.Context, attempt Attempt, changes []Change) (string, error) {
	now, shown, err := readStanding(ctx, attempt.on, changes)
	if err != nil {
		return "", protected("This touches [[roam/agent guidelines]], the user's rules for agents. What it changes could not be read, so the user was not asked, and nothing was written.", theUsersWay())
	}
	question := now.question(attempt, changes, shown)
	switch n := utf8.RuneCountInString(question); {
	case n > mostOfQuestion:
		return "", protected(fmt.Sprintf("This touches [[roam/agent guidelines]], the user's rules for agents. The whole change takes %d characters to show, and a question may have %d, so the user was not asked, and nothing was written.", n, mostOfQuestion), theUsersWay())
	case textsafe.Redact(question) != question:
		return "", protected("This touches [[roam/agent guidelines]], the user's rules for agents. What looks like a token is in it, which no question shows, so the user was not asked, and nothing was written.", theUsersWay())
	}
	return question, nil
}

// question returns the text of a question. What is quoted in it is indented, so that a client
// which reads it as markdown shows it as it is.
func (s standing) question(attempt Attempt, changes []Change, shown []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "An agent wants to change the page [[roam/agent guidelines]] of the Roam graph %s, or what it shows: your rules for agents.\n", textsafe.Whole(attempt.Graph.Name))
	for i, change := range changes {
		number := ""
		if len(changes) > 1 {
			number = fmt.Sprintf("%d. ", i+1)
		}
		fmt.Fprintf(&b, "\n%sIt would %s", number, change.Does)
		if change.At != "" {
			b.WriteString(". The place is:\n\n" + s.lines(change.At, false))
		} else {
			b.WriteString(".\n")
		}
		part := func(title string, lines []string) {
			if len(lines) > 0 {
				b.WriteString("\n" + title + ":\n\n" + strings.Join(lines, ""))
			}
		}
		part("Now", s.each(change.Of, change.With))
		part("Then", append(indentedLines(change.Then), s.each(change.Order, false)...))
	}
	if len(shown) > 0 {
		b.WriteString("\nWhat that embeds or refers to:\n\n" + strings.Join(s.each(shown, true), ""))
	}
	b.WriteString("\nAllow it?")
	return b.String()
}

func indentedLines(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = "    " + line + "\n"
	}
	return out
}

// each returns the lines of several pages or blocks.
func (s standing) each(uids []string, with bool) []string {
	lines := make([]string, len(uids))
	for i, uid := range uids {
		lines[i] = s.lines(uid, with)
	}
	return lines
}

// standing are pages and blocks as they are now, by uid.
type standing map[string]standingThing

// standingThing is a page or block as standingPattern pulls it.
type standingThing struct {
	UID      string          `json:"uid"`
	Title    string          `json:"title"`
	Text     string          `json:"string"`
	Heading  int             `json:"heading"`
	Order    int             `json:"order"`
	Children []standingThing `json:"children"`
}

const standingPattern = `[:block/uid :as "uid"] [:node/title :as "title"] [:block/string :as "string"] [:block/heading :as "heading"] [:block/order :as "order"]`

// readStanding reads what some changes change, and what the new texts show from elsewhere,
// whose uids it returns.
func readStanding(ctx context.Context, g *Graph, changes []Change) (now standing, shown []string, err error) {
	now = standing{}
	var with, alone, brings, texts []string
	for _, change := range changes {
		of := &alone
		if change.With {
			of = &with
		}
		*of = append(*of, change.Of...)
		alone = append(alone, change.Order...)
		if change.At != "" {
			alone = append(alone, change.At)
		}
		if change.Brings {
			brings = append(brings, change.Of...)
		}
		texts = append(texts, change.Texts...)
	}
	if err := now.read(ctx, g, alone, false); err != nil {
		return nil, nil, err
	}
	if err := now.read(ctx, g, with, true); err != nil {
		return nil, nil, err
	}
	for _, uid := range brings {
		texts = append(texts, now[strings.TrimSpace(uid)].texts()...)
	}
	if shown, err = shownBy(ctx, g.caller, texts); err != nil {
		return nil, nil, err
	}
	return now, shown, now.read(ctx, g, shown, true)
}

// shownBy returns the uids of what some texts show from elsewhere, down to the leaves.
func shownBy(ctx context.Context, caller Caller, texts []string) ([]string, error) {
	r := newGuardedReader(caller)
	for _, text := range texts {
		r.addRefs(shownThing{Text: text})
	}
	if err := r.follow(ctx); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(r.found.roots)), nil
}

// read adds pages and blocks; with: with all below them.
func (s standing) read(ctx context.Context, g *Graph, uids []string, with bool) error {
	pattern := "[" + standingPattern + "]"
	if with {
		pattern = "[" + standingPattern + ` {[:block/children :as "children" :limit nil] ...}]`
	}
	trimmed := make([]string, len(uids))
	for i, uid := range uids {
		trimmed[i] = strings.TrimSpace(uid)
	}
	slices.Sort(trimmed)
	if trimmed = slices.Compact(trimmed); len(trimmed) == 0 {
		return nil
	}
	ask := func(ctx context.Context, action string, args ...any) (json.RawMessage, error) {
		reply, err := g.caller.Send(ctx, action, args...)
		return reply.Result, err
	}
	things, err := pullAll(ctx, g, ask, pattern, trimmed, func(thing *standingThing) bool { return thing.UID != "" })
	for _, thing := range things {
		s[thing.UID] = thing
	}
	return err
}

// texts returns the texts of a page or block and of all below it.
func (t standingThing) texts() []string {
	texts := []string{t.Text}
	for _, child := range t.Children {
		texts = append(texts, child.texts()...)
	}
	return texts
}

// lines returns a page or block, and what is below it, a line each.
func (s standing) lines(uid string, with bool) string {
	thing, there := s[strings.TrimSpace(uid)]
	if !there {
		return "    what has the uid " + textsafe.Whole(uid) + " (there is nothing now)\n"
	}
	var b strings.Builder
	thing.write(&b, with, "    ")
	return b.String()
}

func (t standingThing) write(b *strings.Builder, with bool, margin string) {
	if t.Title != "" {
		b.WriteString(margin + "the page " + textsafe.Whole(t.Title) + "\n")
	} else {
		b.WriteString(margin + lineOf(t.Text, t.Heading) + "\n")
	}
	if !with {
		return
	}
	for _, child := range slices.SortedFunc(slices.Values(t.Children), func(a, b standingThing) int { return cmp.Compare(a.Order, b.Order) }) {
		child.write(b, with, margin+"  ")
	}
}

// lineOf returns the text of a block on one line of a question, with nothing left out.
func lineOf(text string, heading int) string {
	if heading == 0 {
		return textsafe.Whole(text)
	}
	return fmt.Sprintf("%s (heading %d)", textsafe.Whole(text), heading)
}

// linesOf returns the lines of a text in their order.
func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = textsafe.Whole(line)
	}
	return lines
}

// outlineLines returns blocks with all below them, a line each.
func outlineLines(blocks []outline.Block, margin string) (lines []string) {
	for _, b := range blocks {
		line := margin + lineOf(b.String, b.Heading)
		if looks := looksOf(b); looks != "" {
			line += " (" + looks + ")"
		}
		lines = append(lines, line)
		lines = append(lines, outlineLines(b.Children, margin+"  ")...)
	}
	return lines
}

// looksOf says how a new block looks, where it is not as most do.
func looksOf(b outline.Block) string {
	var looks []string
	if b.ChildrenViewType != "" {
		looks = append(looks, "children as "+textsafe.Whole(b.ChildrenViewType))
	}
	if b.BlockViewType != "" {
		looks = append(looks, "view "+textsafe.Whole(b.BlockViewType))
	}
	if b.TextAlign != "" {
		looks = append(looks, "aligned "+textsafe.Whole(b.TextAlign))
	}
	if b.Collapsed {
		looks = append(looks, "folded")
	}
	return strings.Join(looks, ", ")
}

// says tells a person which place it is.
func (o Order) says() string {
	switch {
	case o.Index != nil:
		return fmt.Sprintf("at place %d", *o.Index+1)
	case o.First:
		return "at the first place"
	}
	return "at the last place"
}
