package skills

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/assets"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
)

// contract is what a version of a skill promises: tools, their parameters, those that
// must be given, and the shapes of answers.
type contract struct {
	version string
	tools   map[string]promise
}

type promise struct {
	params  map[string]bool // whether they must be given
	answers string
}

// contractOf returns the contract of a profile as it is now.
func contractOf(p surface.Profile, told table) contract {
	c := contract{assets.SkillVersion(p.Name), map[string]promise{}}
	for _, tool := range p.Tools {
		each := promise{map[string]bool{}, cmp.Or(told.tools[tool.Name].answers, "text")}
		for _, param := range tool.Params {
			each.params[param.Name] = param.Required
		}
		c.tools[tool.Name] = each
	}
	for name, form := range told.shapes {
		c.tools[shapeMark+name] = promise{nil, form}
	}
	return c
}

// shapeMark begins the lines of shapes that have names.
const shapeMark = "shape:"

// String is the contract as its file has it, a line for each tool.
func (c contract) String() string {
	lines := []string{"version " + c.version}
	for name, each := range c.tools {
		words := []string{name}
		for param, required := range each.params {
			if required {
				param += "!"
			}
			words = append(words, param)
		}
		slices.Sort(words[1:])
		lines = append(lines, strings.Join(words, " ")+" -> "+each.answers)
	}
	slices.Sort(lines[1:])
	return strings.Join(lines, "\n") + "\n"
}

func parseContract(text string) contract {
	first, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	c := contract{strings.TrimPrefix(first, "version "), map[string]promise{}}
	for line := range strings.Lines(rest) {
		call, answers, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " -> ")
		words := strings.Fields(call)
		each := promise{map[string]bool{}, answers}
		for _, word := range words[1:] {
			name, required := strings.CutSuffix(word, "!")
			each.params[name] = required
		}
		c.tools[words[0]] = each
	}
	return c
}

// breaks returns what a caller of the earlier contract can't do any more; empty: nothing.
func (c contract) breaks(earlier contract) string {
	for name, was := range earlier.tools {
		is, there := c.tools[name]
		if strings.HasPrefix(name, shapeMark) {
			continue
		}
		if !there {
			return "the tool " + name + " is gone"
		}
		for param := range was.params {
			if _, there := is.params[param]; !there {
				return name + " takes no " + param + " any more"
			}
		}
		for param, required := range is.params {
			if required && !was.params[param] {
				return name + " can't be called without " + param + " any more"
			}
		}
	}
	return ""
}

// follows returns an error where a contract has too small a version after an earlier one.
func (c contract) follows(earlier contract) error {
	if c.String() == earlier.String() {
		return nil
	}
	major, minor := numbers(c.version)
	wasMajor, wasMinor := numbers(earlier.version)
	if broken := c.breaks(earlier); broken != "" && major <= wasMajor {
		return fmt.Errorf("%s: that is version %d.0.0", broken, wasMajor+1)
	}
	if cmp.Or(cmp.Compare(major, wasMajor), cmp.Compare(minor, wasMinor)) <= 0 {
		return fmt.Errorf("tools, parameters or shapes have changed: that is version %d.%d.0", wasMajor, wasMinor+1)
	}
	return nil
}

func numbers(version string) (major, minor int) {
	parts := append(strings.Split(version, "."), "", "")
	major, _ = strconv.Atoi(parts[0])
	minor, _ = strconv.Atoi(parts[1])
	return major, minor
}

// A skill whose contract changes gets another version. testdata/contracts has those of the
// last versions.
func TestVersionsFollowTheContracts(t *testing.T) {
	for _, p := range mcpserve.Profiles() {
		path, now := "testdata/contracts/"+p.Name+".txt", contractOf(p, tables()[p.Name])
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if err == nil {
			if err := now.follows(parseContract(string(data))); err != nil {
				t.Errorf("%s, in the front matter of assets/skills/%s/SKILL.md; then run go test ./internal/skills -update", err, p.Name)
				continue
			}
		}
		golden.File(t, path, now.String())
	}
}

func TestContracts(t *testing.T) {
	const before = "version 1.2.0\nread id! depth -> node\n"
	for name, each := range map[string]struct{ now, want string }{
		"stays as it is":                                {before, ""},
		"is read as it is written":                      {"version 1.2.0\r\nread id! depth -> node\r\n", ""},
		"wants a minor version for a parameter":         {"version 1.2.1\nread id! depth limit -> node\n", "1.3.0"},
		"takes a minor version for a tool":              {"version 1.3.0\nlist -> nodes\nread id! depth -> node\n", ""},
		"wants a minor version for a shape":             {"version 1.2.0\nread id! depth -> node | null\n", "1.3.0"},
		"wants a major version where a tool is gone":    {"version 1.3.0\nget id! depth -> node\n", "2.0.0"},
		"wants a major version for a missing parameter": {"version 1.3.0\nread id! -> node\n", "2.0.0"},
		"wants a major version for one that must be":    {"version 1.3.0\nread id! depth! -> node\n", "2.0.0"},
		"takes a major version":                         {"version 2.0.0\nget id! -> node\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := parseContract(each.now).follows(parseContract(before))
			if (err == nil) != (each.want == "") || err != nil && !strings.HasSuffix(err.Error(), "that is version "+each.want) {
				t.Errorf("%v, not %q", err, each.want)
			}
		})
	}
}
