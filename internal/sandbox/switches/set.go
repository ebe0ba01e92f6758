// Package switches makes the sandbox misbehave on demand: as a Roam that is slow,
// broken, older or newer, or in a state that is hard to reach (LOCAL_API.md 9.10).
//
// It promises that a switch which is off costs nothing and changes nothing, and that
// every switch can be turned on and off while the server runs. It rewrites requests
// and replies. What a switch means for tokens and graphs it does not know: the
// server asks for its value.
package switches

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Set holds the switches of a server. It is safe for concurrent use.
type Set struct {
	mu      sync.Mutex // serializes Apply
	current atomic.Pointer[state]
}

// state is immutable once it is stored.
type state struct {
	values  map[Name]string
	since   map[Name]time.Time
	dropped *atomic.Int64 // how many replies were dropped since Drop was set
	changed chan struct{} // closed when another state takes its place
}

// New makes a set with some switches on.
func New(on ...Setting) *Set {
	s := &Set{}
	s.current.Store(&state{changed: make(chan struct{})})
	s.Apply(on...)
	return s
}

// Apply changes some switches and leaves the others.
func (s *Set) Apply(settings ...Setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.current.Load()
	next := &state{values: maps.Clone(before.values), since: maps.Clone(before.since), dropped: before.dropped, changed: make(chan struct{})}
	if next.values == nil {
		next.values, next.since = map[Name]string{}, map[Name]time.Time{}
	}
	for _, setting := range expand(settings) {
		delete(next.values, setting.Name)
		delete(next.since, setting.Name)
		if setting.Value != Off {
			next.values[setting.Name] = setting.Value
			next.since[setting.Name] = time.Now()
		}
		if setting.Name == Drop {
			next.dropped = new(atomic.Int64)
		}
	}
	s.current.Store(next)
	close(before.changed)
}

// expand adds the switches that Build stands for, after turning those of the other
// builds off.
func expand(settings []Setting) []Setting {
	var all []Setting
	for _, setting := range settings {
		all = append(all, setting)
		if setting.Name != Build {
			continue
		}
		for _, build := range []string{BuildEarly2026, BuildAPI009} {
			for _, other := range standsFor(build) {
				all = append(all, Setting{other.Name, Off})
			}
		}
		all = append(all, standsFor(setting.Value)...)
	}
	return all
}

// Clear turns all switches off.
func (s *Set) Clear() {
	var off []Setting
	for name := range s.current.Load().values {
		off = append(off, Setting{name, Off})
	}
	s.Apply(off...)
}

// List returns the switches that are on, by name.
func (s *Set) List() []Setting {
	values := s.current.Load().values
	list := []Setting{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Setting{name, values[name]})
	}
	return list
}

// Changed returns a channel that is closed at the next change of any switch.
func (s *Set) Changed() <-chan struct{} { return s.current.Load().changed }

// On reports whether a switch is on.
func (s *Set) On(name Name) bool {
	_, on := s.current.Load().values[name]
	return on
}

// Value returns the value of a switch; empty if it is off.
func (s *Set) Value(name Name) string { return s.current.Load().values[name] }

// Found returns what a client is to find out about a belief of package observed; empty
// where it is as expected.
func (s *Set) Found(id string) string { return s.Value(Name(id)) }

// Since returns when a switch was last set, and false if it is off.
func (s *Set) Since(name Name) (time.Time, bool) {
	at, on := s.current.Load().since[name]
	return at, on
}

// Duration returns the value of a switch that takes a duration; 0 if it is off.
func (s *Set) Duration(name Name) time.Duration {
	d, _ := time.ParseDuration(s.Value(name)) // Parse has checked it; off gives an error and 0
	return d
}

// Covers reports whether a switch names a graph or an action.
func (s *Set) Covers(name Name, what string) bool {
	return what != "" && slices.Contains(strings.Split(s.Value(name), ","), what)
}

// Version returns the version of the API: that of the switch, or otherwise.
func (s *Set) Version(otherwise string) string {
	if v := s.Value(APIVersion); v != "" {
		return v
	}
	return otherwise
}

// takeDrop reports whether this reply is to be dropped, and counts it.
func (s *Set) takeDrop() bool {
	state := s.current.Load()
	most, err := strconv.ParseInt(state.values[Drop], 10, 64)
	return err == nil && state.dropped.Add(1) <= most
}

// startsIn returns how much longer SlowStart delays calls.
func (s *Set) startsIn() time.Duration {
	wait := s.Duration(SlowStart)
	if wait == 0 {
		return 0
	}
	return wait - time.Since(s.current.Load().since[SlowStart])
}

// ActionName returns the present name of the action that the build which the switches
// describe calls by a name. It returns false if that build lacks the action.
func (s *Set) ActionName(name string) (string, bool) {
	switch {
	case s.Covers(asyncForms, name), name == "batchActions" && s.Value(batchActions) == "missing",
		name == "graph.isEncrypted" && s.Value(encryptedForm) == "missing":
		return name, false
	}
	switch name {
	case "data.ai.suggestLinks":
		return name, !s.On(NoSuggestLinks) && !s.On(FewForAI)
	case "data.ai.semanticSearch", "data.ai.roamQuery", "data.ai.getComments", "data.ai.callExtensionTool", "data.block.addComment":
		return name, !s.On(FewForAI)
	case "data.block.updateBlocks", "data.block.deleteBlocks":
		return name, !s.On(NoBatch) && !s.On(OldBatchNames)
	case "batchActions":
		return name, !s.On(NoBatch)
	case "data.block.updateMany", "data.block.deleteMany":
		if s.On(OldBatchNames) {
			return strings.TrimSuffix(name, "Many") + "Blocks", true
		}
	}
	return name, true
}

// Failure returns the text with which an action throws, if the switch names the action:
// Fail, or FailDone.
func (s *Set) Failure(by Name, action string) (text string, fails bool) {
	named, text, given := strings.Cut(s.Value(by), ":")
	if named == "" || named != action {
		return "", false
	}
	if !given {
		text = "the action failed, since the switch " + string(by) + " is on"
	}
	return text, true
}

// Ignores reports whether a write is answered without being done.
func (s *Set) Ignores(action string) bool {
	return s.Value(Ignored) == "all" || s.Covers(Ignored, action) || action == "batchActions" && s.Value(batchActions) == "silent"
}
