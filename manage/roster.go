package manage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

const (
	// CheckInterval is how long Roam's word on a token counts as fresh.
	CheckInterval = time.Minute
	checkTimeout  = 10 * time.Second
	lookTimeout   = 5 * time.Second
)

// Graph is one graph of a Roster: connected, or only listed by Roam.
type Graph struct {
	localapi.Graph
	Connected bool
	// WithoutToken reports that it is in the configuration and not connected, since
	// its entry has no token.
	WithoutToken bool
	Entry        configstore.Entry // where Connected or WithoutToken
	Open         bool              // has a window in Roam
}

// DisplayName returns what a person calls the graph.
func (g Graph) DisplayName() string {
	if g.Connected || g.WithoutToken {
		return g.Entry.Nickname
	}
	return g.Name
}

// State is the state of a graph.
type State uint8

// The states of a graph that is not connected, and of one that is, those first that
// need a person most.
const (
	StateOpen         State = iota + 1 // not connected, and open in Roam
	StateNotConnected                  // only listed by Roam
	StateNotOpen                       // listed by Roam; the configuration can't be read
	StateNoToken                       // in the configuration, without a token

	StateRevoked     // Roam does not know the token
	StateUnchecked   // Roam could not say whether it does
	StateAPIDisabled // Roam's Local API is switched off
	StateRoamAway    // Roam can't be reached
	StateChecking    // Roam has not been asked about the token yet
	StateConnected   // the token works
	StateDisabled    // no agent can use it
)

// String names the state in a word or two.
func (s State) String() string {
	return [...]string{
		StateOpen: "open now", StateNotConnected: "not connected", StateNotOpen: "not open", StateNoToken: "no token",
		StateRevoked: "token revoked", StateUnchecked: "not checked", StateAPIDisabled: "Local API off", StateRoamAway: "Roam is away",
		StateChecking: "checking", StateConnected: "connected", StateDisabled: "disabled",
	}[s]
}

// RoamStatus is what the last look at Roam has shown.
type RoamStatus struct {
	Known   bool // there was a look
	Err     error
	Address string
	Version string // of the Local API; may be empty
	localapi.Listing
}

// sameList reports whether two looks at Roam make the same list of graphs, in the
// same states.
func (s RoamStatus) sameList(other RoamStatus) bool {
	return s.Known == other.Known && s.failure() == other.failure() &&
		slices.Equal(s.Open, other.Open) && slices.Equal(s.Available, other.Available)
}

// failure returns the state of connected graphs while Roam does not answer; 0 where
// it does.
func (s RoamStatus) failure() State {
	switch {
	case !s.Known || s.Err == nil:
		return 0
	case problem.CodeOf(s.Err) == localapi.CodeDisabled:
		return StateAPIDisabled
	}
	return StateRoamAway
}

// Answers reports whether Roam has answered the last look.
func (s RoamStatus) Answers() bool { return s.Known && s.Err == nil }

// Check is what Roam said of a token.
type Check struct {
	Info localapi.TokenInfo
	At   time.Time
	Took time.Duration
}

// tokenKey tells the tokens of a graph apart, so that an answer about an old one
// says nothing of its successor.
type tokenKey struct {
	graph localapi.Graph
	token localapi.Token
}

func keyOf(entry configstore.Entry) tokenKey { return tokenKey{entry.Graph(), entry.Token} }

// Roster holds the graphs of the configuration and those that Roam lists. It is not safe
// for concurrent use.
type Roster struct {
	// Config is the last state of the file that could be read; ConfigErr is why the
	// present one can't be.
	Config      configstore.Config
	ConfigErr   error
	ConfigKnown bool // the file has been looked at
	Roam        RoamStatus

	checks   map[tokenKey]Check
	expired  time.Time // checks before it are due
	revision int
	graphs   []Graph // of revision graphsOf
	graphsOf int
}

// NewRoster returns a Roster that knows nothing yet.
func NewRoster() *Roster { return &Roster{checks: make(map[tokenKey]Check), revision: 1} }

// Revision returns a number that grows with every change of Graphs or of a state.
func (r *Roster) Revision() int { return r.revision }

// SetConfig takes a state of the file. Where err says that it can't be read, the
// last good state stays, but for who can read it.
func (r *Roster) SetConfig(config configstore.Config, err error) {
	r.revision++
	r.ConfigKnown, r.ConfigErr = true, err
	if err == nil || len(r.Config.Entries) == 0 {
		r.Config = config
	} else {
		r.Config = r.Config.WithModeOf(config)
	}
	if err != nil {
		return
	}
	kept := make(map[tokenKey]Check, len(r.checks)) // forget tokens that are gone
	for _, entry := range config.Entries {
		if c, ok := r.Check(entry); ok {
			kept[keyOf(entry)] = c
		}
	}
	r.checks = kept
}

// SetRoam takes what a look at Roam has shown.
func (r *Roster) SetRoam(status RoamStatus) {
	if !r.Roam.sameList(status) {
		r.revision++
	}
	r.Roam = status
}

// SetCheck takes what Roam said of an entry's token.
func (r *Roster) SetCheck(entry configstore.Entry, check Check) {
	former := r.checks[keyOf(entry)].Info
	if former.Status != check.Info.Status || former.AccessLevel != check.Info.AccessLevel {
		r.revision++
	}
	r.checks[keyOf(entry)] = check
}

// Check returns what Roam said last of an entry's token; false where it was not
// asked yet.
func (r *Roster) Check(entry configstore.Entry) (Check, bool) {
	c, ok := r.checks[keyOf(entry)]
	return c, ok
}

// Graphs returns the connected graphs in the file's order, then those without a
// token, then what else Roam lists, open graphs first. The caller must not change the slice.
func (r *Roster) Graphs() []Graph {
	if r.graphsOf != r.revision {
		r.graphs, r.graphsOf = Merge(r.Config, r.Roam.Listing), r.revision
	}
	return r.graphs
}

// Merge returns the connected graphs in the file's order, then those without a token,
// then what else Roam lists, open graphs first.
func Merge(config configstore.Config, listing localapi.Listing) []Graph {
	open := make(map[localapi.Graph]bool, len(listing.Open))
	for _, g := range listing.Open {
		open[g] = true
	}
	configured := make(map[localapi.Graph]bool, len(config.Entries))
	var all []Graph
	for _, entry := range config.Entries {
		g := entry.Graph()
		configured[g] = true
		all = append(all, Graph{Graph: g, Connected: true, Entry: entry, Open: open[g]})
	}
	for _, entry := range config.WithoutToken {
		g := entry.Graph()
		configured[g] = true
		all = append(all, Graph{Graph: g, WithoutToken: true, Entry: entry, Open: open[g]})
	}
	for _, g := range listing.Graphs() {
		if !configured[g] {
			all = append(all, Graph{Graph: g, Open: open[g]})
		}
	}
	return all
}

// State returns the state of a graph, as far as it is known.
func (r *Roster) State(g Graph) State {
	if !g.Connected {
		switch {
		case g.WithoutToken:
			return StateNoToken
		case g.Open:
			return StateOpen
		case r.ConfigUnreadable():
			return StateNotOpen
		}
		return StateNotConnected
	}
	check, known := r.Check(g.Entry)
	switch {
	case g.Entry.Disabled:
		return StateDisabled
	case r.Revoked(g.Entry):
		return StateRevoked
	case r.Roam.failure() != 0:
		return r.Roam.failure()
	case !known:
		return StateChecking
	case check.Info.Status == localapi.TokenActive:
		return StateConnected
	}
	return StateUnchecked
}

// Graph returns what is known of one graph.
func (r *Roster) Graph(graph localapi.Graph) Graph {
	entry, connected := r.Config.FindGraph(graph)
	withoutToken := false
	if !connected {
		entry, withoutToken = configstore.Config{Entries: r.Config.WithoutToken}.FindGraph(graph)
	}
	return Graph{Graph: graph, Connected: connected, WithoutToken: withoutToken, Entry: entry, Open: slices.Contains(r.Roam.Open, graph)}
}

// Revoked reports whether Roam knows an entry's token no more, as far as it was
// asked.
func (r *Roster) Revoked(entry configstore.Entry) bool {
	if c, ok := r.Check(entry); ok {
		return c.Info.Status == localapi.TokenRevoked
	}
	return entry.LastKnownTokenStatus == localapi.TokenRevoked
}

// AccessLevel returns the level of an entry's token: what Roam said last, or else
// what it granted.
func (r *Roster) AccessLevel(entry configstore.Entry) localapi.AccessLevel {
	if c, ok := r.Check(entry); ok && c.Info.AccessLevel != "" {
		return c.Info.AccessLevel
	}
	return entry.AccessLevel
}

// ConfigUnreadable reports whether the configuration never could be read, so that
// nobody knows which graphs are connected.
func (r *Roster) ConfigUnreadable() bool { return r.ConfigErr != nil && len(r.Config.Entries) == 0 }

// Omits reports whether Roam lists graphs, and not this one: it is somebody else's
// public graph then.
func (r *Roster) Omits(graph localapi.Graph) bool {
	_, listed := r.Roam.Find(graph)
	return r.Roam.Answers() && !listed && len(r.Roam.Available) > 0
}

// Named returns the graph of a name or an address, connected or listed by Roam. Any
// other is taken for a hosted one unless the address says otherwise, and for somebody's
// public one where Roam lists all of a person's own. What is neither name nor address is
// taken for a name.
func (r *Roster) Named(nameOrAddress string) (g Graph, public bool) {
	wanted, err := localapi.ParseGraphName(nameOrAddress)
	if err != nil {
		wanted.Name = nameOrAddress
	}
	for _, g := range r.Graphs() {
		if g.Name == wanted.Name && (wanted.Type == "" || g.Type == wanted.Type) {
			return g, false
		}
	}
	wanted.Type = cmp.Or(wanted.Type, localapi.Hosted)
	return Graph{Graph: wanted}, r.Roam.Answers() && wanted.Type == localapi.Hosted
}

// OthersCanRead reports whether other users of the machine can read the
// configuration.
func (r *Roster) OthersCanRead() bool { return r.Config.OthersCanRead() }

// CheckAgain makes every check before now due.
func (r *Roster) CheckAgain(now time.Time) { r.expired = now }

// Due returns the enabled entry whose token was checked longest ago; false where
// all were checked within CheckInterval and since CheckAgain.
func (r *Roster) Due(now time.Time, entries []configstore.Entry) (due configstore.Entry, ok bool) {
	oldest := now.Add(-CheckInterval + 1)
	if r.expired.After(oldest) {
		oldest = r.expired
	}
	for _, entry := range entries {
		if at := r.checks[keyOf(entry)].At; !entry.Disabled && at.Before(oldest) {
			due, oldest, ok = entry, at, true
		}
	}
	return due, ok
}

// LookAtRoam asks Roam which graphs it lists.
func (m *Manager) LookAtRoam(ctx context.Context) RoamStatus {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	listing, err := localapi.List(ctx, m.Roam)
	return RoamStatus{Known: true, Err: err, Address: m.Roam.Address(), Version: m.Roam.SeenAPIVersion(), Listing: listing}
}

// CheckToken asks Roam about an entry's token and notes in the configuration what
// is news in the answer. That the note can't be written is none: the answer itself
// is returned.
func (m *Manager) CheckToken(ctx context.Context, entry configstore.Entry) Check {
	check := m.AskAboutToken(ctx, entry)
	info := check.Info
	level := info.AccessLevel
	if info.Status != localapi.TokenActive {
		level = ""
	}
	known := info.Status == localapi.TokenActive || info.Status == localapi.TokenRevoked
	if known && (entry.LastKnownTokenStatus != info.Status || level != "" && level != entry.AccessLevel) {
		_ = m.SetTokenStatus(ctx, entry.Graph(), entry.Token, info.Status, level)
	}
	return check
}

// Now returns the time by the Clock.
func (m *Manager) Now() time.Time {
	if m.Clock != nil {
		return m.Clock()
	}
	return time.Now()
}
