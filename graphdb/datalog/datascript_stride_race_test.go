//go:build race

package datalog_test

// stride is how many cases there are to one that is tried. The race detector
// makes each some ten times slower and learns nothing more from the rest.
const stride = 8
