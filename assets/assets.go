// Package assets holds what is built into the program: the skills of the profiles,
// and the two graphs that a fresh sandbox starts with, in Roam's JSON export form: a
// hosted sample graph and a small offline one beside it, each with its own guidelines
// page. Both are complete, every page and block they refer to is in them.
//
// It knows nothing of what a graph is: reading the JSON is left to importers.
package assets

import _ "embed"

// Names under which the sandbox serves the graphs, as GET
// /api/graphs/available lists them (LOCAL_API.md 1.3.2).
const (
	// DemoGraphName is the name of the hosted graph of DemoGraph.
	DemoGraphName = "demo"
	// OfflineGraphName is the name of the offline graph of OfflineGraph.
	OfflineGraphName = "notebook"
)

// Strings, since nothing can change their bytes.
var (
	//go:embed demo.json
	demoGraph string

	//go:embed offline.json
	offlineGraph string
)

// DemoGraph returns the hosted sample graph, the notes of an invented baker, as
// a JSON export: an array of pages, the page to start with first. The bytes are
// a copy of the caller's own.
func DemoGraph() []byte { return []byte(demoGraph) }

// OfflineGraph returns the small offline graph in the form of DemoGraph. Its
// guidelines contradict those of the sample graph on purpose, so that an agent
// that takes one graph for the other is found out.
func OfflineGraph() []byte { return []byte(offlineGraph) }
