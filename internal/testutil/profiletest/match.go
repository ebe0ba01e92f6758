package profiletest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tolerance of a number that is wanted as "<~NUMBER>".
const tolerance = 0.0001

// Match returns nil where a JSON text is what a pattern wants, and else the first
// difference with its place. The pattern is JSON too, and equal values match.
// Within it
//
//	"<any>"      is any value
//	"<~0.1282>"  is a number that differs by at most 0.0001
//	"<has TEXT>" is a string with TEXT in it
//	"...": "..." as a member of an object lets that have further members
//	"..."        as the last element of an array lets further elements follow
func Match(pattern, text string) error {
	var wanted, got any
	if err := json.Unmarshal([]byte(pattern), &wanted); err != nil {
		return fmt.Errorf("the pattern is no JSON: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	return match("", wanted, got)
}

func match(at string, wanted, got any) error {
	differs := fmt.Errorf("%s is %s, not %s", or(at, "it"), encode(got), encode(wanted))
	switch wanted := wanted.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return differs
		}
		return matchObject(at, wanted, object)
	case []any:
		array, ok := got.([]any)
		if !ok {
			return differs
		}
		return matchArray(at, wanted, array)
	case string:
		if !matchString(wanted, got) {
			return differs
		}
		return nil
	}
	if wanted != got {
		return differs
	}
	return nil
}

func matchObject(at string, wanted, got map[string]any) error {
	_, open := wanted["..."]
	for _, name := range names(wanted) {
		value, there := got[name]
		if name == "..." {
			continue
		}
		if !there {
			return fmt.Errorf("%s has no %q: %s", or(at, "it"), name, encode(got))
		}
		if err := match(at+"."+name, wanted[name], value); err != nil {
			return err
		}
	}
	for _, name := range names(got) {
		if _, known := wanted[name]; !known && !open {
			return fmt.Errorf("%s has %q too: %s", or(at, "it"), name, encode(got[name]))
		}
	}
	return nil
}

func matchArray(at string, wanted, got []any) error {
	if n := len(wanted); n > 0 && wanted[n-1] == "..." && len(got) >= n-1 {
		wanted, got = wanted[:n-1], got[:n-1]
	}
	if len(wanted) != len(got) {
		return fmt.Errorf("%s has %d elements, not %d: %s", or(at, "it"), len(got), len(wanted), encode(got))
	}
	for i := range wanted {
		if err := match(at+"["+strconv.Itoa(i)+"]", wanted[i], got[i]); err != nil {
			return err
		}
	}
	return nil
}

func matchString(wanted string, got any) bool {
	text, isText := got.(string)
	within, special := strings.CutPrefix(strings.TrimSuffix(wanted, ">"), "<")
	if !special || !strings.HasSuffix(wanted, ">") {
		return isText && text == wanted
	}
	if within == "any" {
		return true
	}
	if part, ok := strings.CutPrefix(within, "has "); ok {
		return isText && strings.Contains(text, part)
	}
	if number, ok := strings.CutPrefix(within, "~"); ok {
		about, err := strconv.ParseFloat(number, 64)
		value, isNumber := got.(float64)
		return err == nil && isNumber && math.Abs(value-about) <= tolerance
	}
	return isText && text == wanted
}

func names(object map[string]any) []string {
	return slices.Sorted(maps.Keys(object))
}

func or(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// MatchProse returns nil where a text is what a pattern wants, and else an error that shows
// both. Within the pattern, <any> is any run of characters of a line, and <more> any text.
func MatchProse(pattern, text string) error {
	expression := regexp.QuoteMeta(pattern)
	expression = strings.ReplaceAll(expression, "<any>", `[^\n]*`)
	expression = strings.ReplaceAll(expression, "<more>", `(?s:.*)`)
	if matched, err := regexp.MatchString(`\A`+expression+`\z`, text); err != nil || !matched {
		return fmt.Errorf("the text is\n%s\nand not\n%s", text, pattern)
	}
	return nil
}
