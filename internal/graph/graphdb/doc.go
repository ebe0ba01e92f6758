// Package graphdb holds a graph in memory as entities with attributes, in
// Roam's schema: typed columns, reverse lists for references and unique
// indexes, changed by transactions and read through snapshots that never wait
// for a writer and never see half a transaction.
//
// It promises that a snapshot is immutable, that a failed transaction changes
// nothing, and that the commit hook has returned before a new state is published.
// It knows nothing of disks or of the syntax of Roam's text: a store makes datoms
// durable in the hook, and package outline knows pages and blocks. It reads a whole graph
// from Roam's EDN export, in which that is a list of datoms.
package graphdb
