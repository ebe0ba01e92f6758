// Package outline knows Roam's outlines: what it means to create, change, move and delete
// pages and blocks in a graph (LOCAL_API.md section 9), and how a read shows them. Package
// roamtext knows the syntax of a block's text, and package markdown the Markdown of blocks.
//
// Render makes the markdown that Roam's reads return (LOCAL_API.md 9.6): blocks as
// bullets, each with a <roam …/> tag at its end, and references with a preview of what
// they show. RenderedBlocks reads it. It is not the text that Roam stores; StoredText
// makes that of it.
//
// It promises that after every operation the derived attributes are true:
// references follow the text, siblings are numbered without gaps, ancestors and
// page follow the tree. It works inside one transaction or on one snapshot; it
// knows nothing of disks, HTTP, tokens or JSON envelopes.
//
// A plan (Ops) turns one outline into another with few changes, so that the blocks that stay keep
// their uids, and with them what refers to them. It gives the new outline exactly, is empty for
// equal outlines, takes nothing away before all that is new is there, and is the same for the same
// input.
package outline
