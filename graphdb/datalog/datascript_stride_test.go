//go:build !race

package datalog_test

// stride is how many cases there are to one that is tried.
const stride = 1
