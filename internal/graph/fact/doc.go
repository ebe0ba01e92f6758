// Package fact reads what pages and blocks of a graph are at a moment, so that a
// journal can keep what was there before a change and what was there after it.
//
// It promises that a fact is whole: hidden blocks, view settings, properties, the
// neighbours and the order of children are read as Roam stores them, and what can't be
// read is an error, never a fact with something missing. It knows Roam's attributes and
// reads. It knows neither the journal nor which write reads what.
package fact
