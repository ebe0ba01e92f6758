// Package undotest takes back what servers have written, from the journal: as data, to see
// that it holds all that a graph was before (rebuild), and by the engine that commands and
// screens use (undo), also where a person writes in between or Roam does otherwise.
package undotest
