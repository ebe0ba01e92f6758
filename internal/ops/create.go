package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
)

// Order is a place among siblings. The zero Order is the last place.
type Order struct {
	First bool
	Index *int // from 0; goes before First
}

// MarshalJSON implements json.Marshaler: "first", "last" or a number.
func (o Order) MarshalJSON() ([]byte, error) {
	switch {
	case o.Index != nil:
		return json.Marshal(*o.Index)
	case o.First:
		return []byte(`"first"`), nil
	}
	return []byte(`"last"`), nil
}

// UnmarshalJSON implements json.Unmarshaler. It takes what MarshalJSON returns.
func (o *Order) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"first"`:
		*o = Order{First: true}
		return nil
	case `"last"`:
		*o = Order{}
		return nil
	}
	*o = Order{}
	return json.Unmarshal(text, &o.Index)
}

// is reports whether o is place i among n siblings.
func (o Order) is(i, n int) bool {
	switch {
	case o.Index != nil: // one beyond the end is the end
		return i == min(*o.Index, n-1)
	case o.First:
		return i == 0
	}
	return i == n-1
}

// Location is where new blocks go: exactly one of ParentUID, PageTitle and Day.
type Location struct {
	ParentUID string // a block or a page
	PageTitle string // the page is created where it is missing
	Day       string // a daily note, as MM-DD-YYYY
	NestUnder string // the text of a child to put them under; empty: none
	Order     Order
}

// request returns the location as Roam takes it.
func (l Location) request() request {
	location := request{"order": l.Order}
	switch {
	case l.Day != "":
		location["page-title"] = map[string]any{"daily-note-page": l.Day}
	case l.PageTitle != "":
		location["page-title"] = l.PageTitle
	default:
		location["parent-uid"] = l.ParentUID
	}
	return location.withText("nest-under-str", l.NestUnder)
}

// title returns the title of the page; empty where the location is a uid.
func (l Location) title() string {
	if l.Day == "" {
		return l.PageTitle
	}
	if day, ok := outline.ParseDailyUID(l.Day); ok {
		return outline.DailyTitle(day)
	}
	return l.Day
}

// target returns the clause of a query that binds ?p to the target that ?target
// names, and its name.
func (l Location) target() (where, target string) {
	switch {
	case l.Day != "": // is a daily note's uid, too
		return `[?p :block/uid ?target]`, l.Day
	case l.PageTitle != "":
		return `[?p :node/title ?target]`, l.PageTitle
	}
	return `[?p :block/uid ?target]`, l.ParentUID
}

// NewBlocks is the creation of blocks from Markdown.
type NewBlocks struct {
	Location Location
	Markdown string
	Open     *bool // false folds the topmost blocks; nil: as Roam does
}

// Request implements Write.
func (b NewBlocks) Request() (action string, args []any) {
	request := request{"location": b.Location.request(), "markdown-string": b.Markdown}
	return "data.block.fromMarkdown", []any{with(request, "open", b.Open)}
}

// Footprint implements Write.
func (b NewBlocks) Footprint() Footprint {
	reach := Footprint{NestUnder: b.Location.NestUnder, Markdown: []string{b.Markdown}}
	if title := b.Location.title(); title != "" {
		reach.Titles = []string{title}
	} else {
		reach.Places = []string{b.Location.ParentUID}
	}
	return reach
}

// Capture implements Write.
func (b NewBlocks) Capture() Capture {
	c := captureMade(b.Location.ParentUID, b.Location.PageTitle, "")
	c.Below = b.Location.ParentUID != "" && b.Location.NestUnder == ""
	return c
}

// Done implements Write.
func (b NewBlocks) Done(reply json.RawMessage) Done {
	uids, told := madeIn(reply)
	return Done{What: doneInserted, UIDs: uids, Made: uids, Told: told, Markdown: b.Markdown}
}

func parseNewBlocks(s sentWrite) (Write, error) {
	return NewBlocks{Location: s.Location.location(), Markdown: s.Markdown, Open: s.Open}, nil
}

// CreateBlocks creates the blocks that blocks.Markdown says. viewType is bullet, numbered or
// document for how they are listed, which is a property of the block or page that they go
// below, and of the block itself where it is one with others below it. Empty: as it is, but for
// numbered lists in the markdown.
func (g Creates) CreateBlocks(ctx context.Context, blocks NewBlocks, viewType string) (Created, error) {
	if err := markdown.Check(blocks.Markdown); err != nil {
		return Created{}, err
	}
	plan := g.planNumbering(ctx, markdown.Parse(blocks.Markdown), blocks.Location, viewType)
	reply, made, err := g.createAll(ctx, blocks, plan.blocks)
	if err != nil {
		return Created{}, err
	}
	top := uidsIn(reply)
	plan.setView(ctx, g.asGraph(), top)
	if number(plan.blocks) > len(top) {
		reply = withMarkdown(reply, made.shown())
	}
	return Created{reply, plan.warning}, nil
}

func withMarkdown(reply rawjson.Object, blocks []shownBlock) rawjson.Object {
	if len(blocks) == 0 {
		return reply
	}
	return reply.With("markdown", markdownOf(blocks))
}

func (b NewBlocks) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	where, target := b.Location.target()
	rows, err := look.createdSince(ctx, where, target, since)
	if err != nil {
		return Unknown, cantLook(err)
	}
	applied, evidence := judgeCreated(rows, b.Markdown)
	if applied != No {
		return applied, evidence
	}
	return look.withoutTimes(ctx, where, target, b.Markdown, evidence)
}

const mayBeOlder = "A block with this text is there, but it may have been there before."

// withoutTimes looks for what markdown makes among all blocks of a target, since times may be
// missing, or of another clock. evidence is what the times said.
func (l verifier) withoutTimes(ctx context.Context, where, target, markdown, evidence string) (Applied, string) {
	rows, err := l.rows(ctx, `[:find ?u ?s :in $ ?target :where `+where+` [?e :block/parents ?p] [?e :block/string ?s] [?e :block/uid ?u]]`, target)
	if err != nil {
		return Unknown, cantLook(err)
	}
	switch applied, _ := judgeCreated(rows, markdown); applied {
	case No:
		return No, evidence
	case Yes:
		return Unknown, mayBeOlder
	case Unknown:
	}
	return Unknown, "Whether one of the blocks at the target was made by the call can't be told."
}

// NewPage is the creation of a page.
type NewPage struct {
	Title    string
	UID      string // empty: Roam makes one
	ViewType string // bullet, numbered or document; empty: bullet
	Markdown string // blank: the page has no blocks
}

// Request implements Write.
func (p NewPage) Request() (action string, args []any) {
	request := request{"page": request{"title": p.Title}.withText("uid", p.UID).withText("children-view-type", p.ViewType)}
	if strings.TrimSpace(p.Markdown) != "" {
		request["markdown-string"] = p.Markdown
	}
	return "data.page.fromMarkdown", []any{request}
}

// Footprint implements Write.
func (p NewPage) Footprint() Footprint {
	return Footprint{Titles: []string{p.Title}, Markdown: []string{p.Markdown}}
}

// Capture implements Write.
func (p NewPage) Capture() Capture { return captureMade("", p.Title, p.UID) }

// Done implements Write.
func (p NewPage) Done(reply json.RawMessage) Done {
	uid, _ := rawjson.Parse(reply).Text("uid")
	done := Done{What: doneInserted, Told: uid != "", Markdown: p.Markdown}
	if known := cmp.Or(uid, p.UID); known != "" { // of which old builds say nothing
		done.UIDs = []string{known}
	}
	done.Made = done.UIDs
	return done
}

func parseNewPage(s sentWrite) (Write, error) {
	return NewPage{Title: s.Page.Title, UID: s.Page.UID, ViewType: valueOf(s.Page.ViewType), Markdown: s.Markdown}, nil
}

// CreatePage creates a page with the blocks that page.Markdown says. A title that is taken is
// ALREADY_EXISTS.
func (g Creates) CreatePage(ctx context.Context, page NewPage) (Created, error) {
	if err := markdown.Check(page.Markdown); err != nil {
		return Created{}, err
	}
	document := markdown.Parse(page.Markdown)
	lists := document.NumberedLists(page.ViewType == numbered, false)
	plan := numbering{blocks: lists.Blocks}
	if page.ViewType == "" && lists.Top != nil {
		page.ViewType = numbered
	}
	if page.ViewType == numbered && lists.Top != nil {
		plan.blocks = lists.Top
	}
	plan.warnOf(document, lists)
	reply, made, err := g.createPage(ctx, page, plan.blocks)
	if taken, ok := titleTaken(err); ok {
		taken.Hint = problem.Say("Nothing was written.").Then("Read what is there with %s; %s adds to it.", problem.ReadPage, problem.CreateBlocks)
		return Created{}, taken
	}
	if err != nil {
		return Created{reply, plan.warning}, err
	}
	return Created{withMarkdown(reply, made.shown()), plan.warning}, nil
}

// titleTaken returns a copy of an error that says that a page has the title.
func titleTaken(err error) (*problem.Error, bool) {
	failed, ok := problem.As(err)
	if !ok || failed.Code != localapi.CodeAlreadyExists {
		return nil, false
	}
	taken := *failed
	return &taken, true
}

func (p NewPage) find(ctx context.Context, look verifier, since int64) (Applied, string) {
	for _, written := range []string{p.Title, strings.TrimSpace(p.Title)} {
		pages, err := look.rows(ctx, `[:find ?u ?t :in $ ?target :where [?p :node/title ?target] [?p :block/uid ?u] [(get-else $ ?p :create/time 0) ?t]]`, written)
		switch {
		case err != nil:
			return Unknown, cantLook(err)
		case len(pages) == 0:
			continue
		case len(pages[0]) != 2:
			return Unknown, "Roam's answer to a query is not understood."
		case p.UID != "" && pages[0][0] != p.UID && isSince(pages[0], 1, since):
			return Unknown, "The page was created since the call, but with another uid."
		case p.UID != "" && pages[0][0] != p.UID:
			return No, "The page with this title has another uid."
		}
		if made, ok := pages[0][1].(float64); ok && made > 0 && int64(made) < since-longBefore {
			return No, "The page was there before the call."
		}
		return p.judge(ctx, look, written, p.UID != "" || isSince(pages[0], 1, since), since)
	}
	return No, "There is no page with this title."
}

// longBefore is how much older than a call, in ms, what it has not made must be: Roam's clock
// may be another one.
const longBefore = 60_000

// judge decides whether the page that is there was made by the call: created says that it has
// the call's uid, or that its time is not before the call.
func (p NewPage) judge(ctx context.Context, look verifier, title string, created bool, since int64) (Applied, string) {
	if strings.TrimSpace(p.Markdown) == "" {
		if created {
			return Yes, "The page was created."
		}
		return Unknown, "The page is there, but it may have been there before."
	}
	// A reference to a page makes it too: its blocks show which it was.
	where := `[?p :node/title ?target]`
	blocks, err := look.createdSince(ctx, where, title, since)
	if err != nil {
		return Unknown, cantLook(err)
	}
	if applied, _ := judgeCreated(blocks, p.Markdown); applied == Yes {
		return Yes, "The page was created, with its blocks."
	}
	applied, evidence := look.withoutTimes(ctx, where, title, p.Markdown, "The page is there without these blocks.")
	switch {
	case p.UID != "" && evidence == mayBeOlder:
		return Yes, "The page was created, with its blocks."
	case created && applied == No:
		return Unknown, "The page was created since the call, but its blocks are not on it."
	}
	return applied, evidence
}
