// Package mirror holds live graphs of Roam in memory, so that questions about a whole
// graph cost one call to Roam instead of one for each page.
//
// It promises that text which Roam had stored when a call began is in the answer, that a
// View never changes, that a graph is read in calls which leave Roam's window usable, and
// that nothing of a graph is left once it is forgotten. Deletions and moves that leave no
// time are seen at once in small graphs, and within half a minute in others. It writes
// nothing, neither to Roam nor to disk, and knows no token: it asks Roam through a
// function that it is given.
package mirror
