// Package datalog answers Datalog queries and pull patterns over a snapshot of
// a graph, in the dialect of DataScript 1.8.1, which Roam builds on (DATALOG,
// "Schema and dialect").
//
// It promises that every query ends: at the latest when its context does, when its
// time is up or when it has read more rows than its budget; rules end on cyclic
// graphs. The order of clauses never matters. Deliberate differences from
// DataScript are listed by Deviations. It does not know how a graph is stored.
package datalog
