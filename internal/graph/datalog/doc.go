// Package datalog answers Datalog queries and pull patterns over a snapshot of
// a graph, in the dialect of DataScript 1.8.1, which Roam builds on.
//
// A query finds a relation, a list [?x ...], one tuple or one value, with
// aggregates, pulls, :with and :keys; its clauses are patterns, predicates,
// functions, not, or, their -join forms and rules. Inputs are scalars, tuples,
// lists, relations and rules. Results have no order. A pull gives at most 1,000
// values of an attribute that has many, unless the pattern says :limit nil.
//
// It promises that every query ends: at the latest when its context does, when its
// time is up, when it has read more rows than its budget, or when it would hold more
// memory than the queries that share a Memory may hold together; rules end on cyclic
// graphs. The order of clauses never matters. Deliberate differences from
// DataScript are listed by Deviations. It does not know how a graph is stored.
package datalog
