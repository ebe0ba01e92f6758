// Package evaluation holds tasks that tell how well an agent gets on with the MCP
// server: what a user would say, in which graph, and how to see that it was done.
//
// A task is checked by what the graph holds at the end and by what the agent answers,
// never by the calls it made, so that tools can change. A check never depends on words
// that the task leaves open. Nothing of a graph may change that the task does not name.
//
// The package starts the sandbox and reads its graph. It knows neither the tools nor the
// agent: the tests solve each task by a script, and tools/evaluate lets any agent try.
package evaluation
