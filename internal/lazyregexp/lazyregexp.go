// Package lazyregexp compiles regular expressions when they are first used, so that the program
// starts without those that it does not need. Tests compile them at once: one that is wrong is
// found by any test of its package.
package lazyregexp

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// Regexp is a regular expression that may not be compiled yet. It is safe for concurrent use.
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns the Regexp of an expression.
func New(expression string) *Regexp {
	r := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
	if strings.HasSuffix(strings.TrimSuffix(os.Args[0], ".exe"), ".test") {
		r.compiled()
	}
	return r
}

// FindString is that of regexp.Regexp.
func (r *Regexp) FindString(s string) string {
	return r.compiled().FindString(s)
}

// FindStringIndex is that of regexp.Regexp.
func (r *Regexp) FindStringIndex(s string) []int {
	return r.compiled().FindStringIndex(s)
}

// FindStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatch(s string) []string {
	return r.compiled().FindStringSubmatch(s)
}

// FindStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAllString is that of regexp.Regexp.
func (r *Regexp) FindAllString(s string, n int) []string {
	return r.compiled().FindAllString(s, n)
}

// FindAllStringIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex is that of regexp.Regexp.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// MatchString is that of regexp.Regexp.
func (r *Regexp) MatchString(s string) bool {
	return r.compiled().MatchString(s)
}

// Match is that of regexp.Regexp.
func (r *Regexp) Match(b []byte) bool {
	return r.compiled().Match(b)
}

// ReplaceAllString is that of regexp.Regexp.
func (r *Regexp) ReplaceAllString(s, replacement string) string {
	return r.compiled().ReplaceAllString(s, replacement)
}

// ReplaceAllStringFunc is that of regexp.Regexp.
func (r *Regexp) ReplaceAllStringFunc(s string, f func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, f)
}

// ReplaceAll is that of regexp.Regexp.
func (r *Regexp) ReplaceAll(b, replacement []byte) []byte {
	return r.compiled().ReplaceAll(b, replacement)
}
