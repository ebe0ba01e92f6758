// Package difftest holds the cases of a differential test: package datalog
// against DataScript 1.8.1, the engine that Roam builds on.
//
// It makes a small graph in Roam's schema and thousands of queries from a seed,
// and hundreds of queries of the kinds people write over Roam's help graph.
// DataScript's answers are kept as hashes in package datalog's testdata, so that
// its test needs neither Node nor the help graph's text;
// tools/datascript/goldens makes them anew. It knows nothing of how the engine
// works.
package difftest
