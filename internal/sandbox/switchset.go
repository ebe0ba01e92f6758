package sandbox

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"roam-mcp/internal/localapi"
)

// SwitchSet holds the switches of a server, which can be turned while it runs. It is safe
// for concurrent use.
type SwitchSet struct {
	mu      sync.Mutex // serializes Apply
	current atomic.Pointer[switchState]
}

// switchState is immutable once it is stored.
type switchState struct {
	values  map[string]string
	since   map[string]time.Time
	changed chan struct{} // closed when another state takes its place
}

func newSwitchSet(settings ...Setting) *SwitchSet {
	s := &SwitchSet{}
	s.current.Store(&switchState{changed: make(chan struct{})})
	s.Apply(settings...)
	return s
}

// Apply changes some switches and leaves the others.
func (s *SwitchSet) Apply(settings ...Setting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.current.Load()
	next := &switchState{values: maps.Clone(before.values), since: maps.Clone(before.since), changed: make(chan struct{})}
	if next.values == nil {
		next.values, next.since = map[string]string{}, map[string]time.Time{}
	}
	for _, setting := range settings {
		delete(next.values, setting.Name)
		delete(next.since, setting.Name)
		if setting.Value != off {
			next.values[setting.Name] = setting.Value
			next.since[setting.Name] = time.Now()
		}
	}
	s.current.Store(next)
	close(before.changed)
}

// Clear turns all switches off.
func (s *SwitchSet) Clear() {
	var all []Setting
	for name := range s.current.Load().values {
		all = append(all, Setting{name, off})
	}
	s.Apply(all...)
}

// List returns the switches that are on, by name.
func (s *SwitchSet) List() []Setting {
	values := s.current.Load().values
	list := []Setting{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		list = append(list, Setting{name, values[name]})
	}
	return list
}

// awaitChange returns a channel that is closed at the next change of any switch.
func (s *SwitchSet) awaitChange() <-chan struct{} { return s.current.Load().changed }

// isOn reports whether a switch is on.
func (s *SwitchSet) isOn(name string) bool {
	_, isOn := s.current.Load().values[name]
	return isOn
}

// value returns the value of a switch; empty if it is off.
func (s *SwitchSet) value(name string) string { return s.current.Load().values[name] }

// setAt returns when a switch was last set, and false if it is off.
func (s *SwitchSet) setAt(name string) (time.Time, bool) {
	at, isOn := s.current.Load().since[name]
	return at, isOn
}

// duration returns the value of a switch that takes a duration; 0 if it is off.
func (s *SwitchSet) duration(name string) time.Duration {
	d, _ := time.ParseDuration(s.value(name)) // ParseSettings has checked it; off gives an error and 0
	return d
}

// covers reports whether a switch names a graph.
func (s *SwitchSet) covers(name, graph string) bool {
	return slices.Contains(strings.Split(s.value(name), ","), graph)
}

// version returns the version of the API.
func (s *SwitchSet) version() string {
	switch v := s.value(apiVersion); {
	case v != "":
		return v
	case s.isOn(build):
		return "0.0.9"
	}
	return localapi.APIVersion
}
