// Package difftest holds the cases of a differential test: package datalog
// against DataScript 1.8.1, the engine that Roam builds on.
//
// It makes a small graph in Roam's schema and thousands of queries from a seed,
// hundreds of queries of the kinds people write over Roam's help graph, and queries that
// grow around the entities of any graph, so that what they say of them is true.
// DataScript's answers are kept as hashes in package datalog's testdata, so that
// its test needs neither Node nor the help graph's text;
// tools/datascript/goldens makes them anew. It knows nothing of how the engine
// works.
package difftest
