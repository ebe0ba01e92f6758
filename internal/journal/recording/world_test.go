package recording_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"roam-mcp/internal/graph/fact"
	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/journal/recording"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/testutil/await"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// export is a graph whose things mention each other.
const export = `[
{"title":"Plan","uid":"plan","children":[
	{"string":"Old list","uid":"list","children":[{"string":"one","uid":"one"},{"string":"two","uid":"two","heading":2}]},
	{"string":"Buy [[Tea]]","uid":"buy"},
	{"string":"Last","uid":"last"}]},
{"title":"Tea","uid":"tea","children":[{"string":"Green","uid":"green"}]},
{"title":"Drinks","uid":"drinks","children":[{"string":"Water","uid":"water"}]},
{"title":"About [[Tea]]","uid":"about","children":[{"string":"See ((one)) and #Tea","uid":"see"}]}]`

// ledger is a recording.Journal in memory, as text.
type ledger struct {
	mu      sync.Mutex
	lines   []string
	calls   int64
	changes int64
	after   map[int64]bool // changes of which it is known what they left
	done    map[int64]bool
	intend  func(history.Intent) error // nil: all can be recorded
	mark    int64
}

func newLedger() *ledger { return &ledger{after: map[int64]bool{}, done: map[int64]bool{}} }

func (l *ledger) Mark(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mark++
	return l.mark, nil
}

func (l *ledger) Intend(_ context.Context, in history.Intent) (history.Change, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.intend != nil {
		if err := l.intend(in); err != nil {
			return history.Change{}, err
		}
	}
	if in.Call == 0 {
		l.calls++
		in.Call = l.calls
		l.say("%s %s by %s", in.Graph.Name, in.Tool, in.Who.Agent)
	}
	l.changes++
	l.after[l.changes] = in.Request == nil // nothing is read
	l.say("%s %s%s", in.Class, in.Action, in.Request)
	l.say("  before, %s:%s%s", in.BeforeBy, touched(in.Touches), facts(in.Before))
	if in.Lacks != nil {
		l.say("  lacks %q", in.Lacks)
	}
	return history.Change{Call: in.Call, ID: l.changes, Seq: int(l.changes)}, nil
}

func (l *ledger) Finish(_ context.Context, c history.Change, out history.Outcome) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done[c.ID] = out.State == history.StateDone
	l.say("  %s%s", strings.Join(strings.Fields(fmt.Sprintf("%s %s %s", out.State, out.Code, out.Evidence)), " "), touched(out.Touches))
	if out.Summary != "" {
		l.say("  = %s", out.Summary)
	}
	return nil
}

func (l *ledger) After(_ context.Context, c history.Change, seen history.Aftermath) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.after[c.ID] = true
	known := facts(seen.Facts)
	touches := slices.Clone(seen.Touches)
	slices.SortStableFunc(touches, func(a, b fact.Touch) int { // uids that Roam makes are in no order
		return strings.Index(known, "\n    "+a.UID+" ") - strings.Index(known, "\n    "+b.UID+" ")
	})
	l.say("  after, %s:%s%s", seen.By, known, strings.Replace("\n   "+touched(touches), "\n   \n", "\n", 1))
	l.say("  = %s", seen.Summary)
	if seen.Lacks != nil {
		l.say("  lacks %q", seen.Lacks)
	}
	return nil
}

func (l *ledger) Stopped(_ context.Context, in history.Intent, code string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.say("%s %s by %s stopped: %s", in.Graph.Name, in.Tool, in.Who.Agent, code)
	return nil
}

func (l *ledger) Abandoned(context.Context, *history.Graph) ([]history.Open, error) { return nil, nil }
func (l *ledger) TakenBack(context.Context, history.Intent) (history.Change, error) {
	return history.Change{}, nil
}
func (l *ledger) Record(context.Context, int64) (history.Record, bool, error) {
	return history.Record{}, false, nil
}

func (l *ledger) Unread(context.Context, *history.Graph) ([]history.Open, error) { return nil, nil }
func (l *ledger) InDoubt(context.Context, int64) ([]history.Open, error)         { return nil, nil }
func (l *ledger) Close(context.Context) error                                    { return nil }
func (l *ledger) Claim(history.Graph, string, string) *history.Claim             { return nil }
func (l *ledger) Exclusive(context.Context, string, time.Duration) (func(), bool, error) {
	return func() {}, true, nil
}

func (l *ledger) say(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// allRead reports whether it is known of all changes that are done what they left.
func (l *ledger) allRead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, done := range l.done {
		if done && !l.after[id] {
			return false
		}
	}
	return true
}

var anyUID = regexp.MustCompile(`[A-Za-z0-9_-]{9}`)

// String returns all that was recorded. Uids that Roam has made are numbered.
func (l *ledger) text(mask func(string) string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return mask(strings.Join(l.lines, "\n") + "\n")
}

// touched returns touches as text, by role.
func touched(touches []fact.Touch) string {
	roles := map[fact.Role]string{fact.RoleTarget: "target", fact.RoleMade: "made", fact.RoleGone: "gone", fact.RolePlace: "place", fact.RoleReferrer: "referrer", fact.RoleImplied: "implied"}
	byRole := map[string][]string{}
	for _, each := range touches {
		said := each.UID
		if each.Page != "" && each.Page != each.UID {
			said += "@" + each.Page
		}
		byRole[roles[each.Role]] = append(byRole[roles[each.Role]], said)
	}
	var text strings.Builder
	for _, role := range slices.Sorted(maps.Keys(byRole)) {
		fmt.Fprintf(&text, " %s %s", role, strings.Join(byRole[role], ","))
	}
	return text.String()
}

// facts returns facts as text, a thing a line, without times and users.
func facts(recorded []byte) string {
	state, err := fact.Parse(recorded)
	if err != nil {
		return "\n    " + err.Error()
	}
	var text strings.Builder
	things := slices.SortedFunc(maps.Keys(state.Things), func(a, b string) int { // likewise
		return cmp.Or(strings.Compare(state.Things[a].Title+state.Things[a].Text, state.Things[b].Title+state.Things[b].Text), strings.Compare(a, b))
	})
	for _, uid := range things {
		f := state.Things[uid]
		f.Created, f.Edited, f.Editor, f.EditorName = 0, 0, "", ""
		said, err := json.Marshal(f)
		if err != nil {
			return err.Error()
		}
		fmt.Fprintf(&text, "\n    %s %s", uid, said)
	}
	if state.Shortcuts != nil {
		fmt.Fprintf(&text, "\n    shortcuts %v", state.Shortcuts)
	}
	return text.String()
}

// world is a Recorder over a sandbox.
type world struct {
	ops.NoUser
	*profiletest.World
	ledger   *ledger
	recorder *recording.Recorder
	fail     func(action string) error // of a call to Roam; nil: none fails
	calls    []string
	mu       sync.Mutex
}

func newWorld(t *testing.T, suite *profiletest.Suite) *world {
	w := &world{World: suite.World(t), ledger: newLedger()}
	w.recorder = recording.New(recording.Options{
		Journal: w.ledger, Now: w.Clock.Now, Log: slog.New(slog.NewTextHandler(w.World.Log, nil)),
		Wait: func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil },
	})
	t.Cleanup(func() { require.NoError(t, w.recorder.Close(context.Background())) })
	return w
}

// call returns the operations of a call of a tool.
func (w *world) call(keeps recording.Keeping) (*ops.Graph, *recording.Recording) {
	return w.callBy(w.recorder, keeps)
}

// callBy is call with another Recorder.
func (w *world) callBy(recorder *recording.Recorder, keeps recording.Keeping) (*ops.Graph, *recording.Recording) {
	graph := w.Graph(profiletest.MainGraph)
	r := recorder.Call(recording.Call{
		Graph: graph, Tool: "a_tool", Args: json.RawMessage(`{"some":"text","ticket":"secret"}`), Who: history.Who{Agent: "test"}, Keeps: keeps, Adds: true, Later: w,
	})
	return ops.New(ops.Options{Now: w.Clock.Now, Wait: func(context.Context, time.Duration) bool { return true }}).On(graph, w).RecordedBy(r), r
}

// Send implements ops.Caller.
func (w *world) Send(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	w.mu.Lock()
	w.calls = append(w.calls, action)
	fail := w.fail
	w.mu.Unlock()
	if fail != nil {
		if err := fail(action); err != nil {
			return localapi.Reply{}, err
		}
	}
	result, err := w.Ask(ctx, profiletest.MainGraph, action, args...)
	return localapi.Reply{Result: result}, err
}

// Look implements ops.Caller.
func (w *world) Look(ctx context.Context, action string, args ...any) (localapi.Reply, error) {
	return w.Send(ctx, action, args...)
}

// recorded returns what was recorded, once it is known what the writes left.
func (w *world) recorded(t *testing.T) string {
	t.Helper()
	await.Condition(t, "what the writes left is read", w.ledger.allRead)
	numbers := map[string]string{}
	return w.ledger.text(func(text string) string {
		text = anyUID.ReplaceAllStringFunc(text, func(word string) string {
			if !w.made(word) {
				return word
			}
			if numbers[word] == "" {
				numbers[word] = fmt.Sprintf("made%d", len(numbers)+1)
			}
			return numbers[word]
		})
		return referrers.ReplaceAllStringFunc(text, func(list string) string { // which stand in the order of their uids
			role, uids, _ := strings.Cut(list, " ")
			return role + " " + strings.Join(slices.Sorted(strings.SplitSeq(uids, ",")), ",")
		})
	})
}

var referrers = regexp.MustCompile(`\breferrer \S+`)

// sent returns the actions that Roam was asked for, in their order.
func (w *world) sent() string { return w.sentBut(func(calls []string) {}) }

// sentInOrder returns them with those after the last write sorted: the journal reads beside
// whoever wrote.
func (w *world) sentInOrder() string {
	return w.sentBut(func(calls []string) {
		last := 0
		for i, action := range calls {
			if changing(action) {
				last = i + 1
			}
		}
		slices.Sort(calls[last:])
	})
}

func (w *world) sentBut(arrange func(calls []string)) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	arrange(w.calls)
	var runs []string
	for i, n := 0, 0; i < len(w.calls); i += n {
		for n = 1; i+n < len(w.calls) && w.calls[i+n] == w.calls[i]; {
			n++
		}
		run := w.calls[i]
		if n > 1 {
			run = fmt.Sprintf("%d %s", n, run)
		}
		runs = append(runs, run)
	}
	return strings.Join(runs, ", ")
}

// made reports whether a word is a uid of the graph that the export does not have.
func (w *world) made(word string) bool {
	if strings.Contains(export, `"`+word+`"`) {
		return false
	}
	var found []string
	w.Query(&found, `[:find [?u ...] :in $ ?u :where [?e :block/uid ?u]]`, word)
	return len(found) > 0
}
