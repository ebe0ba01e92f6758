// Package graphdb holds a graph in memory as entities with attributes, in
// Roam's schema: typed columns, reverse lists for references and unique
// indexes, changed by transactions and read through snapshots that never wait
// for a writer and never see half a transaction.
//
// It promises that a snapshot stays as it is, that a failed transaction
// changes nothing, and that a commit hook has run before anybody sees a new
// state. It knows nothing of disks, HTTP, tokens or the syntax of Roam's text:
// a store makes datoms durable from the hook, and package outline knows pages
// and blocks.
package graphdb
