//go:build race

// Package race says whether tests run under the race detector, so that those which
// make the same thing many times make it less often there: it takes several times as
// long, and learns nothing more from the rest of them.
package race

// Enabled reports whether the race detector is there.
const Enabled = true
