// Package datalog answers Datalog queries and pull patterns over a snapshot of
// a graph, in the dialect of DataScript 1.8.1, which Roam builds on (DATALOG,
// "Schema and dialect").
//
// It promises that a query ends: it stops when its context does, when its time
// is up and when it has looked at more rows than its budget, and rules end on
// cyclic graphs. The order of clauses never matters. It knows nothing of how a
// graph is stored, of tokens or of HTTP; where it differs from DataScript on
// purpose, Deviations says so.
package datalog
