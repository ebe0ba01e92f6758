// Package logseqview shows a snapshot in Roam's schema as Logseq's file graphs have it,
// and prepares queries that were written for Logseq (profiles/outline.md, "Queries in
// Logseq's schema").
//
// It promises that entities keep their ids, that blocks keep their uids and texts, that
// hidden blocks (#.rm-hide, #.rm-private, and all below them) are in no attribute, and
// that the rules of Logseq's simple queries can be called. A property line is a block
// as in Roam; what it says is a property of the block that it is below, as in Logseq.
// It answers no queries: package datalog does. It knows neither windows nor pages that
// are open, and runs no functions that would change a result for display.
package logseqview
