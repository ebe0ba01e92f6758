package mirror

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Derived is what is derived from the Views of a graph and kept with it: an index, or the
// graph in another form. There is one value for each graph and Name, which follows the
// graph, counts towards Options.Limit, and is forgotten with the graph, or before it to make
// room. It needs Texts.
type Derived[T any] struct {
	Name string
	// Update brings a value in step with a View, for one call at a time. It returns the
	// value to keep, also with an error. Others may still use the one before.
	Update func(ctx context.Context, before T, view *View, change Change) (T, error)
	// Size returns about how many bytes a value holds beside the View. It is asked after
	// each Update, so it must be quick.
	Size func(T) int64
}

// Change is what has changed of a graph since a value was derived from it.
type Change struct {
	Anew  bool     // all may have: the value before is the zero one
	Pages []string // uids, as of View.ChangedSince
}

// Empty reports whether nothing has changed.
func (c Change) Empty() bool { return !c.Anew && len(c.Pages) == 0 }

// Of returns the value of a View's graph, in step with the View or a newer one. What does
// not fit into the limit beside the graph itself is used by the caller and not kept.
func (d Derived[T]) Of(ctx context.Context, view *View) (T, error) {
	var value T
	e := view.kept.entry(d.Name)
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	defer func() { <-e.turn }()
	pages, known := view.ChangedSince(e.at)
	change := Change{Anew: !known, Pages: pages}
	if known {
		value = e.value.(T)
	}
	value, err := d.Update(ctx, value, view, change)
	if !change.Empty() { // an older View does not set it back
		e.at = view.Revision()
	}
	e.value = value
	view.kept.grow(e, d.Size(value))
	return value, err
}

// kept is what callers keep with a graph.
type kept struct {
	mirror *mirror

	mu      sync.Mutex
	entries []*entry
}

// entry is a value of a Derived.
type entry struct {
	name string
	turn chan struct{} // whoever holds it updates
	// at and value belong to the holder of the turn.
	at    Revision
	value any
	// used and size are guarded by kept.mu.
	used time.Time
	size int64
}

// entry returns the entry with a name, which it makes if there is none.
func (k *kept) entry(name string) *entry {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := slices.IndexFunc(k.entries, func(e *entry) bool { return e.name == name })
	if at < 0 {
		at = len(k.entries)
		k.entries = append(k.entries, &entry{name: name, turn: make(chan struct{}, 1)})
	}
	e := k.entries[at]
	e.used = k.mirror.options.Now()
	return e
}

// grow sets the size of an entry, and makes room for it.
func (k *kept) grow(e *entry, size int64) {
	k.mu.Lock()
	grows := size > e.size
	e.size = size
	k.mu.Unlock()
	m := k.mirror
	m.mu.Lock()
	alone := m.size + size
	m.mu.Unlock()
	if grows && (alone > m.options.Limit || !m.keeper.makeRoom(m, e)) {
		k.forget(e)
	}
}

// size returns how many bytes all entries hold.
func (k *kept) size() (bytes int64) {
	if k == nil {
		return 0
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.entries {
		bytes += e.size
	}
	return bytes
}

// oldest returns the entry that was used longest ago, but for one, and when that was; nil
// if there is none.
func (k *kept) oldest(but *entry) (oldest *entry, used time.Time) {
	if k == nil {
		return nil, used
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, e := range k.entries {
		if e != but && e.size > 0 && (oldest == nil || e.used.Before(used)) {
			oldest, used = e, e.used
		}
	}
	return oldest, used
}

// forget forgets an entry. Calls that have its value keep it as long as they run.
func (k *kept) forget(e *entry) {
	k.mirror.options.Log.Info("mirror: what was derived is forgotten, to make room", "graph", k.mirror.graph.Name, "derived", e.name)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.entries = slices.DeleteFunc(k.entries, func(other *entry) bool { return other == e })
}
