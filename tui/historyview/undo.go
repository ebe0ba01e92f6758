package historyview

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/journal/undo"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
)

// CodeUndoPartly is the code of an undo that is done as far as possible (exit code 9).
const CodeUndoPartly problem.Code = "UNDO_PARTLY"

// you is the agent that a person is.
const you = "you"

// Undo selects the calls to take back: a Range of them, or those that a Query selects.
// The zero value selects the newest call that is neither taken back nor an undo itself.
type Undo struct {
	Range *Range
	Query Query
	Redo  bool // what an undo has taken back
	// Under is the uid of a block or page, and Page the title of a page, that gets blocks which come
	// back and have lost what they were below; both "": these stay away.
	Under, Page string
	// Over says that what was left since somebody has changed it is asked for again; see View.Over.
	Over bool
}

// again reports whether what was left may be taken back by now.
func (u Undo) again() bool { return u.Under != "" || u.Page != "" || u.Over }

// UndoPlan lists the changes of one graph that an undo takes back.
type UndoPlan struct {
	Graph   history.Graph
	Name    string           // nickname of the graph
	Records []history.Record // the newest first
	Result  undo.Result      // what it would do
	redo    bool
	only    string // uid of the block, with what was below it; "": all
	over    map[undo.Overwritten]bool
	under   string // see Undo
	page    string
}

// Calls returns the numbers of the calls, the newest first.
func (p UndoPlan) Calls() []int64 {
	calls := make([]int64, len(p.Records))
	for i, r := range p.Records {
		calls[i] = r.Call.ID
	}
	return calls
}

// PlanUndo says what an Undo would do, for each graph. There is none where nothing is to be
// undone.
func (v *View) PlanUndo(ctx context.Context, wanted Undo) ([]UndoPlan, error) {
	if err := v.refresh(ctx); err != nil {
		return nil, err
	}
	v.settleWithin(ctx, undoPatience)
	records, err := undo.Await(ctx, func() ([]history.Record, error) { return v.undoable(ctx, wanted) })
	if err == nil {
		records, err = v.settleDoubts(ctx, records)
	}
	if err != nil {
		return nil, err
	}
	if wanted.again() {
		for _, record := range records {
			for i := range record.Changes {
				record.Changes[i].UndoneBy, record.Changes[i].UndoneLeft = 0, nil
			}
		}
	}
	slices.SortFunc(records, func(a, b history.Record) int { return cmp.Compare(b.Call.ID, a.Call.ID) })
	var plans []UndoPlan
	for _, record := range records {
		at := slices.IndexFunc(plans, func(p UndoPlan) bool { return p.Graph == record.Call.Graph })
		if at < 0 {
			at = len(plans)
			plans = append(plans, UndoPlan{Graph: record.Call.Graph, Name: v.Name(record.Call.Graph), redo: wanted.Redo, only: BareUID(wanted.Query.Block), under: BareUID(wanted.Under), page: wanted.Page})
		}
		plans[at].Records = append(plans[at].Records, record)
	}
	for i := range plans {
		if plans[i].Result, err = v.walk(ctx, plans[i], nil, nil); err != nil {
			return nil, err
		}
	}
	return plans, nil
}

// Left is something that a plan leaves as it is.
type Left = undo.Left

// Progress is how far an undo is.
type Progress = undo.Progress

// Over returns the plan with some of what it leaves set back all the same, although somebody has
// changed it since: what asked says of each. What is left by that is asked for, too.
func (v *View) Over(ctx context.Context, p UndoPlan, asked func(Left) (bool, error)) (UndoPlan, error) {
	p.over = map[undo.Overwritten]bool{}
	for again := true; again; {
		again = false
		for _, left := range p.Result.Left {
			what := undo.Overwritten{UID: left.UID, Field: left.Field}
			if _, known := p.over[what]; known || !left.Overwritable() {
				continue
			}
			yes, err := asked(left)
			if err != nil {
				return p, err
			}
			p.over[what] = yes
			again = again || yes
		}
		if !again {
			break
		}
		var err error
		if p.Result, err = v.walk(ctx, p, nil, nil); err != nil {
			return p, err
		}
	}
	return p, nil
}

// RunUndo does what a plan says, as far as the graph still is as it was planned with; tell is told
// how many changes are taken back, nil: nobody is. An error says what came in between; the same
// plan goes on. Close waits for it.
func (v *View) RunUndo(ctx context.Context, p UndoPlan, tell func(undo.Progress)) (undo.Result, error) {
	v.running.Add(1)
	defer v.running.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(v.ctx, cancel)()
	entry, _ := v.entry(p.Graph)
	if entry.AccessLevel.Known() && entry.AccessLevel != localapi.Full {
		return undo.Result{}, &problem.Error{
			Code: undo.CodeNeedsEdit, Message: fmt.Sprintf("Nothing was undone: the token for %s may not edit.", p.Name),
			Hint: problem.Say("%s asks for one that may.", problem.Run("reauth", entry.Nickname).With("--access", string(localapi.Full))),
		}
	}
	tool := history.ToolUndo
	if p.redo {
		tool = history.ToolRedo
	}
	args, _ := json.Marshal(map[string]any{"calls": p.Calls()}) // numbers can be encoded
	v.mu.Lock()
	keeps := map[configstore.Switch]recording.Keeping{configstore.On: recording.All, configstore.Off: recording.NoTexts}[v.config.TextsOf(entry)]
	v.mu.Unlock()
	return v.walk(ctx, p, func(caller ops.Caller) undo.Recording {
		return v.recorder.Call(recording.Call{
			Graph: entry.Graph(), Tool: tool, Args: args, Who: history.Who{Agent: you, Client: "roam-mcp"}, Keeps: keeps, Later: caller,
		})
	}, tell)
}

// walk takes changes back, or says what that would do where nothing records it.
func (v *View) walk(ctx context.Context, p UndoPlan, record func(ops.Caller) undo.Recording, tell func(undo.Progress)) (undo.Result, error) {
	caller, why := v.caller(ctx, p.Graph)
	if caller == nil {
		return undo.Result{}, &problem.Error{
			Code: localapi.CodeConnectionFailed, Message: fmt.Sprintf("Nothing was undone: %s (%s).", why, p.Name),
			Hint: problem.Say("Open the graph in Roam and run the same command again."),
		}
	}
	var changes []history.ChangeRecord
	for _, r := range p.Records {
		changes = append(changes, r.Changes...)
	}
	under, err := p.place(ctx, caller)
	if err != nil {
		return undo.Result{}, err
	}
	u := undo.Undo{Graph: ops.New(ops.Options{}).On(caller.entry.Graph(), caller), Ask: caller.ask, Tell: tell, Only: p.only, Under: under, Over: p.over}
	if record != nil {
		u.Recording = record(caller)
	}
	return u.Run(ctx, changes)
}

// place returns the uid of what gets blocks that have lost what they were below; "": nothing does.
func (p UndoPlan) place(ctx context.Context, caller *graphCaller) (uid string, err error) {
	query, value := `[:find ?u :in $ ?v :where [?e :block/uid ?v] [?e :block/uid ?u]]`, p.under
	if p.page != "" {
		query, value = `[:find ?u :in $ ?v :where [?e :node/title ?v] [?e :block/uid ?u]]`, p.page
	}
	if value == "" {
		return "", nil
	}
	answer, err := caller.ask(ctx, "q", query, value)
	if err != nil {
		return "", err
	}
	var rows [][1]string
	if json.Unmarshal(answer, &rows) != nil || len(rows) == 0 {
		return "", &problem.Error{Code: localapi.CodeNotFound, Message: fmt.Sprintf("Nothing was undone: there is no %q in %s.", value, p.Name), Hint: problem.Say("Name a page or block that is there.")}
	}
	return rows[0][0], nil
}

// undoable returns the records that an Undo is about.
func (v *View) undoable(ctx context.Context, wanted Undo) (records []history.Record, err error) {
	v.mu.Lock()
	config := v.config
	v.mu.Unlock()
	filter, err := wanted.Query.Filter(config, time.Now())
	if err != nil {
		return nil, err
	}
	one := wanted.Range != nil && wanted.Range.single()
	spans := wanted.Range != nil || wanted.Query.Session != "" || wanted.Query.Since != "" || wanted.Query.Until != "" || wanted.Query.Block != ""
	if one {
		return v.oneUndoable(ctx, *wanted.Range, wanted)
	}
	if wanted.Range != nil {
		wanted.Range.narrow(&filter)
	}
	return undo.Choose(ctx, v.journal, undo.Choice{Filter: filter, Redo: wanted.Redo, All: spans})
}

// oneUndoable returns the record of one call, or of a part of one.
func (v *View) oneUndoable(ctx context.Context, r Range, wanted Undo) (records []history.Record, err error) {
	err = v.Records(ctx, r, func(record history.Record) error {
		records = append(records, record)
		return nil
	})
	if err != nil {
		return nil, err
	}
	call := records[0].Call
	isUndo := history.IsUndo(call.Tool) && call.Tool != history.ToolRedo
	switch {
	case wanted.Redo && !isUndo && call.UndoneBy != 0:
		return v.oneUndoable(ctx, Range{from: call.UndoneBy, to: call.UndoneBy}, wanted)
	case wanted.Redo && !isUndo:
		return nil, notUndone(call, "is not undone", "redo")
	case len(records[0].Changes) == 0:
		return nil, notUndone(call, "has changed nothing", "redo")
	case !wanted.again() && undo.IsTaken(records[0].Changes):
		return nil, notUndone(call, "is undone already, by "+strconv.FormatInt(call.UndoneBy, 10), "redo")
	}
	return records, nil
}

func notUndone(call history.Call, is, command string) error {
	return &problem.Error{
		Code: problem.CodeFailed, Message: fmt.Sprintf("%d %s.", call.ID, is),
		Hint: problem.Say("%s says what is; %s takes the newest undo back.", problem.Run("history"), problem.Run(command)),
	}
}

// Possible returns the error of a plan that can do nothing; nil where it can.
func (p UndoPlan) Possible() error {
	if p.Result.Steps > 0 || len(p.Result.Left) == 0 {
		return nil
	}
	first := p.Result.Left[0]
	shown := problem.Run("diff", strconv.FormatInt(p.Records[0].Call.ID, 10))
	impossible := &problem.Error{
		Code: CodeUndoPartly, Message: fmt.Sprintf("Nothing was taken back. %s stays: %s.", first.Change, first.Why),
		Hint: problem.Say("%s shows what is there now.", shown),
	}
	switch {
	case first.Why == undo.ParentGone:
		impossible.Hint = problem.Say("--under UID or --page TITLE puts it elsewhere; %s prints it.", shown.With("--markdown"))
	case first.Why.Impossible():
		impossible.Code, impossible.Message = undo.CodeNotPossible, fmt.Sprintf("%s can't be undone: %s.", first.Change, first.Why)
		impossible.Hint = problem.Say("%s shows what is known of it; %s takes another one back.", shown, problem.Run("undo", "NUMBER"))
	}
	return impossible
}

// narrow puts a Range into a filter.
func (r Range) narrow(filter *history.Filter) {
	if r.session != 0 {
		filter.Session = r.session
	}
	if r.from > 0 {
		filter.After = max(filter.After, r.from-1)
	}
	if r.to > 0 && (filter.Before == 0 || r.to+1 < filter.Before) {
		filter.Before = r.to + 1
	}
	if r.Block != "" {
		filter.Block = r.Block
	}
}

// fieldName returns what a field of a Left is called.
func fieldName(field fact.Field) string {
	switch field {
	case fact.ChildrenView:
		return "view of children"
	case fact.BlockView:
		return "view"
	case fact.Props:
		return "properties"
	case fact.Existence, fact.List:
		return ""
	case fact.Title, fact.Text, fact.Heading, fact.Open, fact.Align, fact.Place, fact.Children, fact.Shortcut:
	}
	return string(field)
}
