//go:build !race

package difftest

// stride is how many cases there are to one that is tried.
const stride = 1
