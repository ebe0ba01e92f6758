package surface

import (
	"fmt"
	"strings"
)

// clampedKey is the key of the notes on what was clamped. It is the name of no
// parameter.
const clampedKey = "\x00clamped"

// clamp puts an integer between the bounds of its parameter, and notes that. A
// negative number for what has an upper bound means as many as there may be.
func (a Arguments) clamp(p Param, n int) {
	used := n
	switch {
	case n < 0 && p.Max != nil:
		used = *p.Max
	case p.Min != nil && n < *p.Min:
		used = *p.Min
	case p.Max != nil && n > *p.Max:
		used = *p.Max
	}
	if used == n {
		return
	}
	a[p.Name] = used
	notes, _ := a[clampedKey].([]string)
	a[clampedKey] = append(notes, fmt.Sprintf("%s was %d; it is %s, so %d was used.", p.Name, n, p.wants(), used))
}

// Clamped says which integers were beyond their bounds and what was used instead;
// empty where none was.
func (a Arguments) Clamped() string {
	notes, _ := a[clampedKey].([]string)
	return strings.Join(notes, " ")
}
