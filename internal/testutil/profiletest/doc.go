// Package profiletest runs the tools of a profile as a client sees them: the real
// server over the sandbox, which holds the demo graph of package demograph.
//
// It promises a graph of its own to every example, the same example over stdio
// and over HTTP in both eras of the protocol, a clock that only the test moves,
// and a count of the calls that reach Roam. It does not know the tools.
//
// Acceptance tests are in an external package (graph_test), since this package
// imports mcpserve, which imports the profiles. A table of examples:
//
//	profiletest.Run(t, profiletest.Options{Profile: "graph"},
//		profiletest.Example{Name: "get_hubs counts links to a page", Calls: []profiletest.Call{
//			{Tool: "get_hubs", Arguments: `{"limit":1}`, Want: `[{"id":"ada000001","title":"Ada","score":3}]`},
//		}},
//		profiletest.Example{
//			Name:   "find_path sees what another client wrote",
//			Calls: []profiletest.Call{
//				{Tool: "find_path", Arguments: `{"source":"Grace","target":"Ada"}`, Want: `null`},
//				{
//					Before: func(w *profiletest.World) { w.AddBlock("grace0001", "Talked to [[Ada]]") },
//					Tool:   "find_path", Arguments: `{"source":"Grace","target":"Ada"}`,
//					Want:   `{"path":["grace0001","ada000001"],"length":1,"...":"..."}`, MostCalls: 1,
//				},
//			},
//		},
//	)
//
// Want is a pattern of JSON; Match says what it may hold. Whatever does not fit a
// table is written with a world and a client:
//
//	suite := profiletest.NewSuite(t, profiletest.Options{Profile: "notes", Second: true})
//	for _, way := range profiletest.Ways() {
//		w := suite.World(t)
//		c := w.Connect(way)
//		result := c.Call("get_notes", `{}`)
//		…
//	}
//
// What is so in every profile, such as what is offered, tickets, and Roam that is closed,
// is in the functions whose names begin with Check.
//
// A suite imports the graph once; a world costs a copy of it.
package profiletest
