package shown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// The codes of this package's errors (TOOLS.md, "Errors of our own").
const (
	CodeReadFirst        problem.Code = "READ_FIRST"         // of what was sent for, something was never shown
	CodeChangedSinceRead problem.Code = "CHANGED_SINCE_READ" // somebody else has changed what was shown
	CodePartOnly         problem.Code = "PART_ONLY"          // a part was shown, and more was sent
)

// DetailBlocks is the detail of a CHANGED_SINCE_READ that tells the blocks: a list of
// Changed.
const DetailBlocks = "blocks"

// Changed is a block that somebody else has changed, as an error tells it: with its texts
// as the surface shows them.
type Changed struct {
	UID   string  `json:"uid,omitempty"`
	Shown string  `json:"shown"`
	Sent  *string `json:"sent"`            // null: it was to go
	Now   *string `json:"now"`             // null: it is not there any more
	Below string  `json:"below,omitempty"` // what was written below it, as markdown
	Moved bool    `json:"moved,omitempty"` // it stands somewhere else by now
}

// Reading describes how to read a note, for hints.
type Reading struct {
	Param string       // of the text that was sent
	Call  problem.Hint // the call that reads the note, such as "call get_note with id …"
}

// maxTold is the limit of the texts in an error, in tokens, unless Graph.Telling sets
// another. Texts beyond it do not count as shown.
const maxTold = 6000

// TextConflict returns the error for blocks that were to get another text, but have a new
// one since they were shown. Its details end at the first block for which there is no room.
func TextConflict(blocks []Changed) *problem.Error {
	var told []Changed
	for room := maxTold; len(told) < len(blocks); {
		if room -= blocks[len(told)].tokens(); room < 0 {
			break
		}
		told = append(told, blocks[len(told)])
	}
	return changedSinceRead(told, len(blocks), len(told) < len(blocks), problem.Say("Read it again with %s.", problem.ReadBlock))
}

// KeepChanged remembers the present texts of the ChangedBlocks of an error as shown.
func (g Graph) KeepChanged(err error) {
	for _, each := range ChangedBlocks(err) {
		if each.Now != nil {
			g.KeepText(each.UID, *each.Now)
		}
	}
}

// ChangedBlocks returns the blocks in the details of a CHANGED_SINCE_READ, nil for
// another error.
func ChangedBlocks(err error) []Changed {
	failed, ok := problem.As(err)
	if !ok || failed.Code != CodeChangedSinceRead {
		return nil
	}
	told, _ := failed.Detail(DetailBlocks).([]Changed)
	return told
}

func readFirst(how Reading) *problem.Error {
	return &problem.Error{
		Code: CodeReadFirst, Retry: problem.RetryNever,
		Message: fmt.Sprintf("The note has content that was never shown on this connection, and %s would replace it. Nothing was written.", how.Param),
		Hint:    how.Call.Then("Make your change in what that shows, and send it as %s.", how.Param),
	}
}

// Renamed returns the error of a note that is named by the title with which it was shown, and
// has another one by now; nil: it is not.
func (g Graph) Renamed(title string, now note.Node) error {
	n, ok := g.Note(now.UID)
	if !ok || n.Title == now.Title || n.Title != note.BareTitle(strings.TrimSpace(title)) {
		return nil
	}
	return &problem.Error{
		Code: CodeChangedSinceRead, Retry: problem.RetryLater,
		Message: fmt.Sprintf("The note that was read as %s is called %s by now. Nothing was written.", textsafe.Quote(n.Title), textsafe.Quote(now.Title)),
		Hint:    problem.Say("If it is still the note that you mean, use the name %s.", textsafe.Quote(now.Title)),
	}
}

func cutLineGone(line string, how Reading) *problem.Error {
	return &problem.Error{
		Code: CodePartOnly, Retry: problem.RetryNever,
		Message: fmt.Sprintf("The last read of the note ended in the middle of the line %s, and %s lacks that line, so it can't be told where the unseen rest of it belongs. Nothing was written.", textsafe.Quote(line), how.Param),
		Hint:    problem.Say("Send %s again with that line as it was shown.", how.Param).Then("To change or remove it, read on from the place where it begins, and send what that shows."),
	}
}

func outsideOfPart(text string, how Reading) *problem.Error {
	return &problem.Error{
		Code: CodePartOnly, Retry: problem.RetryNever,
		Message: fmt.Sprintf("A part of the note was read last, and %s replaces that part alone; the rest stays around it. But it holds a line that stands elsewhere in the note: %s. Nothing was written.", how.Param, textsafe.Quote(text)),
		Hint:    problem.Say("Send as %s the part that was shown last, with your changes and without that line.", how.Param).Then("To change another part, read that one first.").Append(how.Call),
	}
}

// conflict returns the error for blocks that somebody else has changed, and remembers as
// shown those that are in its details. Two kinds are not remembered, and the hint is to
// read the note again: blocks for whose texts there is no room, and blocks that a cut had
// shortened, since the text that is sent next may still hold the part that was cut.
func (g Graph) conflict(n Note, now Current, conflicts []outline.Conflict, how Reading) *problem.Error {
	var told []Changed
	var uids []string
	cut := n.part.Cut()
	moved, unsure, room := false, false, cmp.Or(g.room, maxTold)
	for _, c := range conflicts {
		each := Changed{UID: c.UID, Shown: note.Display(c.Shown), Sent: displayed(c.Sent), Now: displayed(c.Now), Moved: c.Moved, Below: note.Content(note.Node{Children: nodesOf(c.Below)})}
		size := each.tokens()
		if size > room {
			unsure = true
			continue
		}
		if told = append(told, each); slices.Contains(cut, c.UID) {
			unsure = true
			continue
		}
		room -= size
		below := uidsOf(c.Below)
		moved = moved || c.Moved || slices.ContainsFunc(below, n.knows)
		uids = append(append(uids, c.UID), below...)
		n = n.afterConflict(c)
	}
	if moved {
		n = n.WithShown(now.Node, uids)
	}
	g.Keep(now.Node.UID, n)
	return changedSinceRead(told, len(conflicts), unsure, how.Call)
}

// changedSinceRead returns the error for all changed blocks, of which told are in its
// details. If readAgain is set its hint is to read the note again, which read says how
// to do.
func changedSinceRead(told []Changed, all int, readAgain bool, read problem.Hint) *problem.Error {
	message := "Somebody else has changed a block since it was read"
	if all > 1 {
		message = fmt.Sprintf("Somebody else has changed %d blocks since they were read", all)
	}
	e := &problem.Error{
		Code: CodeChangedSinceRead, Retry: problem.RetryNever, Message: message + ". Nothing was written.",
		Hint: problem.Say("Compare what was shown, what you sent and what is there now. Make your change in what is there now, and make the same call with that."),
	}
	if len(told) > 0 {
		e.Details = []problem.Detail{{Name: DetailBlocks, Value: told}}
	}
	if readAgain {
		e.Hint = read.Then("Make your change in what is there now.")
	}
	return e
}

// tokens estimates how many tokens the block takes in an error.
func (c Changed) tokens() int {
	const names = 30 // of its fields
	return names + textsafe.CountTokens(c.Shown) + textsafe.CountTokens(textOf(c.Sent)) + textsafe.CountTokens(textOf(c.Now)) + textsafe.CountTokens(c.Below)
}

// displayed returns a text as the content of a note shows it; nil where there is none.
func displayed(text *string) *string {
	if text == nil {
		return nil
	}
	shown := note.Display(*text)
	return &shown
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func nodesOf(blocks []outline.Block) []note.Node {
	var nodes []note.Node
	for _, b := range blocks {
		nodes = append(nodes, note.Node{UID: b.UID, Text: b.String, Heading: b.Heading, Children: nodesOf(b.Children)})
	}
	return nodes
}

func uidsOf(blocks []outline.Block) []string {
	var uids []string
	for _, b := range blocks {
		uids = append(append(uids, b.UID), uidsOf(b.Children)...)
	}
	return uids
}
