package switches

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"roam-mcp/internal/lazyregexp"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/observed"
	"roam-mcp/internal/problem"
)

// Off is the value that turns a switch off again.
const Off = "off"

const (
	maxValue = 500
	maxDelay = time.Hour
	maxCount = 1_000_000
)

// Setting is a switch with a value that is valid for it.
type Setting struct {
	Name  Name
	Value string // "on" for a switch that takes none; Off turns it off
}

// String returns the setting as it is written on a command line.
func (s Setting) String() string {
	if s.Value == "on" {
		return string(s.Name)
	}
	value := s.Value
	if known, _ := Find(s.Name); known.kind == isFinding {
		value = strings.Replace(value, " ", "/", 1) // see parseFinding
	}
	return string(s.Name) + "=" + value
}

// CodeInvalid is the code of an invalid setting.
const CodeInvalid problem.Code = "INVALID_SWITCH"

// Parse reads "name", "name=value" or "name=off". Errors are *problem.Error with CodeInvalid.
func Parse(text string) (Setting, error) {
	name, value, given := strings.Cut(strings.TrimSpace(text), "=")
	found, ok := Find(Name(name))
	if !ok {
		return Setting{}, &problem.Error{
			Code:    CodeInvalid,
			Message: fmt.Sprintf("There is no switch %q.", clip(name)),
			Hint:    problem.Say("Switches are: %s.", strings.Join(names(), ", ")),
		}
	}
	value = strings.TrimSpace(value)
	switch {
	case value == Off:
		return Setting{found.Name, Off}, nil
	case !given && found.kind != isFlag:
		value = found.Default
	case !given:
		value = "on"
	}
	if len(value) > maxValue || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
		return Setting{}, badValue(found, "is too long, or not on one line")
	}
	if found.kind == isFinding {
		return parseFinding(found, value)
	}
	if why := check(found, value); why != "" {
		return Setting{}, badValue(found, why)
	}
	return Setting{found.Name, value}, nil
}

// parseFinding reads what a Roam that is played answers. "404/CODE" stands for "404 CODE",
// which a command line would part, and the expected answer turns the switch off.
func parseFinding(s Switch, value string) (Setting, error) {
	belief, _ := observed.Find(string(s.Name))
	if belief.Answers {
		value = strings.Replace(value, "/", " ", 1)
	}
	finding, ok := belief.Parse(value)
	switch {
	case ok && finding == belief.Expected:
		return Setting{s.Name, Off}, nil
	case ok:
		return Setting{s.Name, finding}, nil
	case belief.Answers:
		return Setting{}, badValue(s, "is a status, and perhaps a code, such as 400/VALIDATION_ERROR")
	case belief.Several:
		return Setting{}, badValue(s, "is one or several, with commas between, of "+strings.Join(belief.Otherwise, ", "))
	}
	return Setting{}, badValue(s, "is one of "+strings.Join(belief.Otherwise, ", "))
}

// ParseAll is Parse for several settings. It returns the first error.
func ParseAll(texts []string) ([]Setting, error) {
	settings := make([]Setting, 0, len(texts))
	for _, text := range texts {
		setting, err := Parse(text)
		if err != nil {
			return nil, err
		}
		settings = append(settings, setting)
	}
	return settings, nil
}

func badValue(s Switch, why string) *problem.Error {
	return &problem.Error{
		Code:    CodeInvalid,
		Message: fmt.Sprintf("The value of the switch %s %s.", s.Name, why),
		Hint:    problem.Say("It is written %s.", s.Usage()),
	}
}

func names() []string {
	var list []string
	for _, s := range Catalog() {
		list = append(list, string(s.Name))
	}
	return list
}

func clip(s string) string {
	if runes := []rune(s); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return s
}

var version = lazyregexp.New(`^\d{1,5}\.\d{1,5}\.\d{1,5}$`)

// check returns what is wrong with a value; empty if it is valid.
func check(s Switch, value string) string {
	switch s.kind {
	case isFlag:
		if value != "on" {
			return "is nothing but on or off"
		}
	case isDuration:
		if d, err := time.ParseDuration(value); err != nil || d <= 0 || d > maxDelay {
			return "is a time above 0 and up to 1h, such as 200ms"
		}
	case isSize:
		if _, ok := parseSize(value); !ok {
			return "is a number of bytes, such as 1000, 64KiB or 1MiB"
		}
	case isCount:
		if n, err := strconv.Atoi(value); err != nil || n < 1 || n > maxCount {
			return "is a number from 1"
		}
	case isChoice:
		if !slices.Contains(s.Choices, value) {
			return "is one of " + strings.Join(s.Choices, ", ")
		}
	case isVersion:
		if !version.MatchString(value) {
			return "is a version of three numbers, such as 1.2.0"
		}
	case isFailure:
		if action, _, _ := strings.Cut(value, ":"); action == "" {
			return "names an action"
		}
	case isActions:
		if slices.ContainsFunc(strings.Split(value, ","), func(name string) bool { return strings.TrimSpace(name) != name || name == "" }) {
			return "is one name of an action or several, with commas between, or all"
		}
	case isFinding: // which Parse brings into its canonical form
	case isGraphs:
		if slices.ContainsFunc(strings.Split(value, ","), func(name string) bool { return !localapi.ValidGraphName(name) }) {
			return "is one name of a graph or several, with commas between"
		}
	}
	return ""
}

func parseSize(value string) (int64, bool) {
	unit := int64(1)
	switch {
	case strings.HasSuffix(value, "KiB"):
		unit, value = 1<<10, strings.TrimSuffix(value, "KiB")
	case strings.HasSuffix(value, "MiB"):
		unit, value = 1<<20, strings.TrimSuffix(value, "MiB")
	}
	n, err := strconv.ParseInt(value, 10, 32)
	return n * unit, err == nil && n >= 1
}
