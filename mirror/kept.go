package mirror

import "sync"

// kept is what callers keep with a graph.
type kept struct {
	mu     sync.Mutex
	values map[string]any
}

// Kept returns what is kept with the graph under a name; make makes it the first time.
// It is shared between the Views of the graph, so it must be safe for concurrent use, and
// it is forgotten with the graph. What it holds is best derived from a View, and is not
// counted in Options.Limit.
func (v *View) Kept(name string, make func() any) any {
	v.kept.mu.Lock()
	defer v.kept.mu.Unlock()
	value, ok := v.kept.values[name]
	if !ok {
		value = make()
		v.kept.values[name] = value
	}
	return value
}
