package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"roam-mcp/internal/graph/markdown"
	"roam-mcp/internal/rawjson"
)

// on returns the function of an action whose only argument is an object.
func on[T any](run func(c *call, asked T) (any, error)) func(*call) (any, error) {
	return func(c *call) (any, error) {
		var asked T
		if err := c.object(&asked); err != nil {
			return nil, err
		}
		return run(c, asked)
	}
}

// object decodes an action's only argument. Unknown keys are ignored, as by Roam,
// since newer clients send more; a value of the wrong type is an error.
func (c *call) object(into any) error {
	if len(c.Args) == 0 || string(bytes.TrimSpace(c.Args[0])) == "null" {
		return fmt.Errorf("%s: an object is expected as the argument", c.Action)
	}
	if rawjson.CountElements(c.Args[0]) > maxElements {
		return fmt.Errorf("%s: the argument's lists have more than %d elements; send it in parts", c.Action, maxElements)
	}
	if err := json.Unmarshal(c.Args[0], into); err != nil {
		return fmt.Errorf("%s: %s", c.Action, DescribeJSON(err))
	}
	return nil
}

// maxElements bounds the lists of an argument, all together: one of three bytes, such
// as {}, takes a hundred times that when it is decoded.
const maxElements = markdown.MaxLines

// positional decodes the argument at an index. One that is absent or null leaves
// the value as it is.
func (c *call) positional(at int, name string, into any) error {
	if at >= len(c.Args) || string(bytes.TrimSpace(c.Args[at])) == "null" {
		return nil
	}
	if err := json.Unmarshal(c.Args[at], into); err != nil {
		return fmt.Errorf("%s: %s: %s", c.Action, name, DescribeJSON(err))
	}
	return nil
}

// missing returns the error for a required key that is not there.
func (c *call) missing(key string) error {
	return fmt.Errorf("%s: %s is required", c.Action, key)
}

// whole is a number as JavaScript has it, floored: 2, 2.0 and 2.7 are 2.
type whole struct {
	value int
	set   bool
}

func (w *whole) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	f, err := strconv.ParseFloat(string(data), 64)
	if err != nil || math.IsInf(f, 0) {
		return fmt.Errorf("a number is expected, not %s", Loggable(string(data)))
	}
	*w = whole{value: int(math.Floor(max(math.MinInt32, min(math.MaxInt32, f)))), set: true}
	return nil
}

// or returns the number, or fallback if none was sent.
func (w whole) or(fallback int) int {
	if w.set {
		return w.value
	}
	return fallback
}

// or returns what p points to, or fallback if it is nil.
func or[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}

// position is a place among siblings: a number from 0, "first" or "last".
type position struct {
	whole
	last bool
}

var errPosition = errors.New(`order is a number from 0, "first" or "last"`)

func (p *position) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) == nil {
		switch word {
		case "first":
			*p = position{whole: whole{set: true}}
			return nil
		case "last":
			*p = position{whole: whole{set: true}, last: true}
			return nil
		case "": // null
			if string(data) == "null" {
				return nil
			}
		}
		return errPosition
	}
	if err := p.whole.UnmarshalJSON(data); err != nil || p.value < 0 {
		return errPosition
	}
	return nil
}
