// Package difftest compares package datalog with DataScript 1.8.1, the engine
// that Roam builds on.
//
// It makes a small graph in Roam's schema and thousands of queries from a seed,
// and hundreds of queries of the kinds people write over Roam's help graph.
// The answers of DataScript are kept in testdata as hashes, so that the test
// needs neither Node nor the help graph's text; regenerate makes them anew. It
// knows nothing of how the engine works.
package difftest
