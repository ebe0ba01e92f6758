package exchange

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

var (
	start   = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	graph   = localapi.Graph{Name: "notes", Type: localapi.Hosted}
	refused = &problem.Error{Code: localapi.CodeConnectionFailed, Call: &problem.Call{}}
	broken  = &problem.Error{Code: localapi.CodeConnectionFailed, Call: &problem.Call{Sent: true}}
)

func fail(code problem.Code) *problem.Error {
	return &problem.Error{Code: code, Call: &problem.Call{Sent: true}}
}

func testToken(t *testing.T) localapi.Token {
	t.Helper()
	token, err := localapi.ParseToken(localapi.TokenPrefix + strings.Repeat("x", 29))
	require.NoError(t, err)
	return token
}

// steady pauses a second before each try, so that tests can tell times.
func steady(int) time.Duration { return time.Second }

// in brings a waiting machine into a state, by events alone.
func in(t *testing.T, state State) Machine {
	t.Helper()
	policy := Policy{Wait: true, Backoff: steady}
	m, _ := Begin(start, Request{Graph: graph, AccessLevel: localapi.Full, Description: "test"}, policy)
	asked := []Event{Located{graph}}
	path := map[State][]Event{
		Locating:    {},
		Unreachable: {LocateFailed{refused}},
		Disabled:    {LocateFailed{fail(localapi.CodeDisabled)}},
		Waiting:     asked,
		Busy:        append(slices.Clone(asked), RequestFailed{fail(localapi.CodeRequestInProgress)}),
		Verifying:   append(slices.Clone(asked), RequestFailed{fail(localapi.CodeGraphBlocked)}, UseToken{testToken(t)}, Located{graph}),
		Granted:     append(slices.Clone(asked), TokenGranted{localapi.TokenGrant{Graph: graph, Token: testToken(t), AccessLevel: localapi.Full}}),
		Rejected:    append(slices.Clone(asked), RequestFailed{fail(localapi.CodeUserRejected)}),
		Blocked:     append(slices.Clone(asked), RequestFailed{fail(localapi.CodeGraphBlocked)}),
		TimedOut:    append(slices.Clone(asked), RequestFailed{fail(localapi.CodeTimeout)}),
		Failed:      append(slices.Clone(asked), RequestFailed{fail(localapi.CodeInternal)}),
		Cancelled:   {Cancel{}},
	}
	for _, event := range path[state] {
		m, _ = m.Next(start, event)
	}
	if m.State != state {
		t.Fatalf("the path to %q ends in %q", state, m.State)
	}
	return m
}

// outcome is what an event does: the state after it and the effects. The zero
// value stands for "changes nothing".
type outcome struct {
	to      State
	effects []Effect
}

func effects(e ...Effect) []Effect { return e }

// again is what starts a request anew.
func again() outcome { return outcome{Locating, effects(Locate)} }

// over is the row of a request that has ended without a token.
func over() map[string]outcome {
	return map[string]outcome{"Retry": again(), "AskAgain": again(), "UseToken": again(), "Cancel": {Cancelled, nil}}
}

// answered is the row of a state in which Roam is being asked, with more events.
func answered(more map[string]outcome) map[string]outcome {
	row := map[string]outcome{
		"TokenGranted":            {Granted, nil},
		"RequestFailed rejected":  {Rejected, nil},
		"RequestFailed blocked":   {Blocked, nil},
		"RequestFailed timeout":   {TimedOut, nil},
		"RequestFailed busy":      {Busy, nil},
		"RequestFailed cancelled": {Cancelled, nil},
		"RequestFailed disabled":  {Disabled, nil},
		"RequestFailed refused":   {Unreachable, nil},
		"RequestFailed stranger":  {Unreachable, nil},
		"RequestFailed broken":    {Locating, effects(Locate)},
		"RequestFailed other":     {Failed, nil},
		"Cancel":                  {Cancelled, effects(Abort)},
		"Deadline":                {TimedOut, effects(Abort)},
	}
	maps.Copy(row, more)
	return row
}

// unblockable is over, and Roam can be opened, where the graph's settings are.
func unblockable() map[string]outcome {
	row := over()
	row["OpenRoam"] = outcome{Blocked, effects(Open)}
	return row
}

// table is the whole transition function, one row a state, one column an event.
// What is not listed must change nothing; the test walks every pair.
func table() map[State]map[string]outcome {
	return map[State]map[string]outcome{
		Locating: {
			"Located":               {Waiting, effects(Ask)},
			"LocateFailed refused":  {Unreachable, nil},
			"LocateFailed not Roam": {Unreachable, nil},
			"LocateFailed stranger": {Unreachable, nil},
			"LocateFailed disabled": {Disabled, nil},
			"LocateFailed other":    {Failed, nil},
			"Cancel":                {Cancelled, effects(Abort)},
		},
		// No look for Roam is under way in these two until the next try.
		Unreachable: {
			"TimePassed": {Unreachable, effects(Locate)},
			"Deadline":   {Unreachable, effects(Locate)},
			"Retry":      {Unreachable, effects(Locate)},
			"OpenRoam":   {Unreachable, effects(Open)},
			"Cancel":     {Cancelled, nil},
		},
		Disabled: {
			"TimePassed": {Disabled, effects(Locate)},
			"Deadline":   {Disabled, effects(Locate)},
			"Retry":      {Disabled, effects(Locate)},
			"OpenRoam":   {Disabled, effects(Open)},
			"Cancel":     {Cancelled, nil},
		},
		Waiting: answered(map[string]outcome{"OpenRoam": {Waiting, effects(Open)}}),
		// No request is under way in Busy until the next try.
		Busy: {
			"TimePassed": {Busy, effects(Ask)},
			"Retry":      {Busy, effects(Ask)},
			"OpenRoam":   {Busy, effects(Open)},
			"Cancel":     {Cancelled, nil},
			"Deadline":   {TimedOut, nil},
		},
		Verifying: answered(nil),
		Granted:   {},
		Rejected:  over(),
		Blocked:   unblockable(),
		TimedOut:  over(),
		Failed:    over(),
		Cancelled: {"Retry": again(), "AskAgain": again(), "UseToken": again()},
	}
}

func TestEveryEventInEveryStateDoesWhatTheTableSays(t *testing.T) {
	token := testToken(t)
	type column struct {
		event Event
		after time.Duration
	}
	columns := map[string]column{
		"Located":                 {event: Located{graph}},
		"LocateFailed refused":    {event: LocateFailed{refused}},
		"LocateFailed not Roam":   {event: LocateFailed{fail(localapi.CodeNotRoam)}},
		"LocateFailed stranger":   {event: LocateFailed{fail(localapi.CodeOtherUser)}},
		"RequestFailed stranger":  {event: RequestFailed{&problem.Error{Code: localapi.CodeOtherUser, Call: &problem.Call{}}}},
		"LocateFailed disabled":   {event: LocateFailed{fail(localapi.CodeDisabled)}},
		"LocateFailed other":      {event: LocateFailed{fail(localapi.CodeGraphNotListed)}},
		"TokenGranted":            {event: TokenGranted{localapi.TokenGrant{Graph: graph, Token: token, AccessLevel: localapi.ReadOnly}}},
		"RequestFailed rejected":  {event: RequestFailed{fail(localapi.CodeUserRejected)}},
		"RequestFailed blocked":   {event: RequestFailed{fail(localapi.CodeGraphBlocked)}},
		"RequestFailed timeout":   {event: RequestFailed{fail(localapi.CodeTimeout)}},
		"RequestFailed busy":      {event: RequestFailed{fail(localapi.CodeRequestInProgress)}},
		"RequestFailed cancelled": {event: RequestFailed{fail(localapi.CodeCancelled)}},
		"RequestFailed disabled":  {event: RequestFailed{fail(localapi.CodeDisabled)}},
		"RequestFailed refused":   {event: RequestFailed{refused}},
		"RequestFailed broken":    {event: RequestFailed{broken}},
		"RequestFailed other":     {event: RequestFailed{fail("SOMETHING_NEW")}},
		"TimePassed":              {event: TimePassed{}, after: time.Second * 2},
		"Deadline":                {event: TimePassed{}, after: RequestTimeout},
		"Cancel":                  {event: Cancel{}},
		"Retry":                   {event: Retry{}},
		"AskAgain":                {event: AskAgain{localapi.ReadOnly}},
		"OpenRoam":                {event: OpenRoam{}},
		"UseToken":                {event: UseToken{token}},
	}
	rows := table()
	for _, state := range states() {
		row, listed := rows[state]
		if !listed {
			t.Fatalf("the table has no row for %q", state)
		}
		for name := range row {
			if _, ok := columns[name]; !ok {
				t.Fatalf("the row of %q names the event %q, which no column has", state, name)
			}
		}
		for name, column := range columns {
			t.Run(fmt.Sprintf("%s, %s", state, name), func(t *testing.T) {
				before := in(t, state)
				after, done := before.Next(start.Add(column.after), column.event)
				want, listed := row[name]
				if !listed {
					want = outcome{to: state}
				}
				if after.State != want.to || !slices.Equal(done, want.effects) {
					t.Errorf("became %q with effects %v, want %q with %v", after.State, done, want.to, want.effects)
				}
				if !listed && fmt.Sprintf("%#v", plain(after)) != fmt.Sprintf("%#v", plain(before)) {
					t.Errorf("an event that means nothing here changed the machine:\n%#v\n%#v", plain(before), plain(after))
				}
			})
		}
	}
}

// plain drops the function, which can't be compared.
func plain(m Machine) Machine { m.Policy.Backoff = nil; return m }

func TestAnAnswerThatNothingAsksForIsDropped(t *testing.T) {
	// Between two tries nothing is under way, so an answer can only be late.
	for _, state := range []State{Unreachable, Disabled, Busy} {
		m := in(t, state)
		for _, event := range []Event{Located{graph}, TokenGranted{}, RequestFailed{fail(localapi.CodeUserRejected)}, LocateFailed{refused}} {
			if after, _ := m.Next(start, event); after.State != state {
				t.Errorf("%q: a late %T led to %q", state, event, after.State)
			}
		}
	}
}

func TestRoamThatCannotBeReachedEndsAnImpatientExchange(t *testing.T) {
	for _, state := range []State{Unreachable, Disabled} {
		m := in(t, state)
		m.Policy.Wait = false
		if !m.Ended() || !m.WakeAt().IsZero() {
			t.Errorf("%q goes on by itself without Wait", state)
		}
	}
}

func TestARequestThatBrokeOffIsMadeAgainOnlyWhereRoamHadGone(t *testing.T) {
	for _, state := range []State{Waiting, Verifying} {
		m, _ := in(t, state).Next(start, RequestFailed{broken})
		still, done := m.Next(start, Located{graph})
		if still.State != Failed || still.Err != broken || len(done) > 0 {
			t.Errorf("%s: with Roam still there it became %q with %v", state, still.State, done)
		}
		if again, _ := still.Next(start, Retry{}); again.State != Locating {
			t.Errorf("%s: a person can't ask again", state)
		} else if asked, _ := again.Next(start, Located{graph}); asked.State != state {
			t.Errorf("%s: asking again became %q", state, asked.State)
		}
		gone, _ := m.Next(start, LocateFailed{refused})
		if gone.State != Unreachable {
			t.Errorf("%s: without Roam it became %q", state, gone.State)
		}
		gone, _ = gone.Next(start.Add(time.Second), TimePassed{})
		if back, _ := gone.Next(start.Add(time.Second), Located{graph}); back.State != state {
			t.Errorf("%s: with Roam back it became %q", state, back.State)
		}
	}
	impatient := in(t, Waiting)
	impatient.Policy.Wait = false
	if m, _ := impatient.Next(start, RequestFailed{broken}); m.State != Failed || m.Err != broken {
		t.Errorf("an impatient exchange became %q", m.State)
	}
}

func TestUnreachableGoesOnToAskOnceRoamAppears(t *testing.T) {
	m := in(t, Unreachable)
	for try := 1; try <= 3; try++ {
		if m.Tries != try || !m.NextTry.Equal(start.Add(time.Second)) {
			t.Fatalf("try %d: tries %d, next at %v", try, m.Tries, m.NextTry)
		}
		m, _ = m.Next(m.NextTry, TimePassed{})
		m, _ = m.Next(start, LocateFailed{refused})
	}
	m, _ = m.Next(m.NextTry, TimePassed{})
	m, done := m.Next(start.Add(time.Minute), Located{graph})
	if m.State != Waiting || !slices.Equal(done, effects(Ask)) || m.Left(start.Add(time.Minute)) != RequestTimeout {
		t.Errorf("after Roam appeared: %q, %v, %v left", m.State, done, m.Left(start.Add(time.Minute)))
	}
}

func TestBusyStaysBusyUntilRoamHasTakenTheRequest(t *testing.T) {
	m := in(t, Busy)
	now := m.NextTry
	m, done := m.Next(now, TimePassed{})
	if m.State != Busy || !slices.Equal(done, effects(Ask)) {
		t.Fatalf("asking again: %q, %v", m.State, done)
	}
	refusedAgain, _ := m.Next(now.Add(time.Millisecond), RequestFailed{fail(localapi.CodeRequestInProgress)})
	if refusedAgain.State != Busy || refusedAgain.Tries != 2 || !refusedAgain.Deadline.Equal(start.Add(RequestTimeout)) {
		t.Errorf("refused again: %q, tries %d, deadline %v", refusedAgain.State, refusedAgain.Tries, refusedAgain.Deadline)
	}
	taken, done := m.Next(now.Add(settleTime), TimePassed{})
	if taken.State != Waiting || len(done) != 0 || taken.Left(now.Add(settleTime)) != RequestTimeout {
		t.Errorf("not refused: %q, %v, %v left", taken.State, done, taken.Left(now.Add(settleTime)))
	}
	if granted, _ := m.Next(now, TokenGranted{}); granted.State != Granted {
		t.Errorf("a grant while settling led to %q", granted.State)
	}
}

func TestABusyGraphThatStaysBusyTimesOutAndStillSaysWhy(t *testing.T) {
	m := in(t, Busy)
	m, _ = m.Next(m.Deadline, TimePassed{})
	if m.State != TimedOut || m.Err.Code != localapi.CodeRequestInProgress {
		t.Errorf("%q, %v", m.State, m.Err)
	}
}

func TestAWaitForRoamEndsAtItsLimit(t *testing.T) {
	m, _ := Begin(start, Request{Graph: graph}, Policy{Wait: true, WaitLimit: 10 * time.Second, Backoff: steady})
	m, _ = m.Next(start, LocateFailed{refused})
	m, _ = m.Next(start.Add(time.Second), TimePassed{})
	m, _ = m.Next(start.Add(time.Second), LocateFailed{fail(localapi.CodeDisabled)})
	if want := start.Add(10 * time.Second); !m.Deadline.Equal(want) {
		t.Fatalf("the limit moved to %v when Unreachable became Disabled", m.Deadline)
	}
	m, _ = m.Next(start.Add(10*time.Second), TimePassed{})
	if m.State != TimedOut || m.Err.Code != localapi.CodeDisabled {
		t.Errorf("%q, %v", m.State, m.Err)
	}
}

func TestAskingForLessChangesTheLevel(t *testing.T) {
	m, _ := in(t, Rejected).Next(start, AskAgain{localapi.ReadAppend})
	if m.State != Locating || m.Request.AccessLevel != localapi.ReadAppend || m.Err != nil {
		t.Errorf("%q asks for %q, error %v", m.State, m.Request.AccessLevel, m.Err)
	}
}

func TestALowerGrantIsSeen(t *testing.T) {
	m, _ := in(t, Waiting).Next(start, TokenGranted{localapi.TokenGrant{AccessLevel: localapi.ReadOnly}})
	if !m.Lowered() {
		t.Error("read only for full is not called lower")
	}
	if in(t, Granted).Lowered() {
		t.Error("full for full is called lower")
	}
}

func TestBackoffGrowsToALimitWithJitter(t *testing.T) {
	for try, floor := range map[int]time.Duration{1: 500 * time.Millisecond, 2: time.Second, 3: 2 * time.Second, 4: 4 * time.Second, 5: 5 * time.Second, 60: 5 * time.Second} {
		for range 50 {
			if got := DefaultBackoff(try); got < floor || got >= floor+floor/3 {
				t.Fatalf("try %d pauses %v, want %v and up to a third more", try, got, floor)
			}
		}
	}
}

func TestOffers(t *testing.T) {
	for _, state := range states() {
		t.Run("of a state that is "+state.String()+" change it or do something", func(t *testing.T) {
			m := in(t, state)
			for _, event := range m.Offers() {
				if use, ok := event.(UseToken); ok {
					use.Token = testToken(t)
					event = use
				}
				if next, effects := m.Next(start, event); fmt.Sprint(plain(next)) == fmt.Sprint(plain(m)) && effects == nil {
					t.Errorf("%T does nothing", event)
				}
			}
			if len(m.Offers()) == 0 && state != Granted {
				t.Error("there is no way on")
			}
		})
	}
	t.Run("of a rejection include less, down to the least", func(t *testing.T) {
		m, levels := in(t, Rejected), []localapi.AccessLevel{}
		for offers := m.Offers(); len(offers) == 3; offers = m.Offers() {
			less := offers[1].(AskAgain).AccessLevel
			levels, m.Request.AccessLevel = append(levels, less), less
		}
		if !slices.Equal(levels, []localapi.AccessLevel{localapi.ReadAppend, localapi.ReadOnly}) {
			t.Errorf("offered %v", levels)
		}
	})
}
