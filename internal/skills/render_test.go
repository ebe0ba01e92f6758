package skills

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/mcpserve/surface"
)

// longest is how many characters of an answer are shown at most.
const longest = 700

// renderTool is the part of a skill on a tool. common are parameters that are described
// elsewhere.
func renderTool(p *surface.Profile, t *surface.Tool, e entry, common []surface.Param, arguments, answer string) string {
	var text strings.Builder
	about := problem.World{Tool: p.ToolName}.Say(t.Description)
	if e.brief {
		if switchedOff(p, t.Toolset) || len(about) > 300 { // the list of tools has all of it
			about = firstSentence(about)
		}
		fmt.Fprintf(&text, "- **%s** `%s` %s `%s` → `%s`\n", t.Name, inputOf(t.Params, common), about, arguments, answer)
		return text.String()
	}
	fmt.Fprintf(&text, "### %s\n\n%s\n\n", t.Name, about)
	fmt.Fprintf(&text, "- input: `%s`\n", inputOf(t.Params, common))
	if e.answers != "" {
		fmt.Fprintf(&text, "- output: `%s`\n", e.answers)
	}
	if codes := codesOf(e); len(codes) > 0 {
		fmt.Fprintf(&text, "- errors: `%s`\n", strings.Join(codes, "`, `"))
	}
	if e.answers == "" {
		fmt.Fprintf(&text, "- example: `%s` →\n\n  ```\n%s\n  ```\n\n", arguments, indent(answer))
	} else {
		fmt.Fprintf(&text, "- example: `%s` → `%s`\n\n", arguments, answer)
	}
	return text.String()
}

func indent(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("  "+line, " ")
	}
	return strings.Join(lines, "\n")
}

func codesOf(e entry) []string {
	var codes []string
	for _, each := range e.refuses {
		code := each.code + strings.TrimSuffix(closing(each.code), "`")
		if !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}

// inputOf lists parameters with what they take, those that can be left out with a
// question mark.
func inputOf(params, common []surface.Param) string {
	var list []string
	for _, p := range params {
		text := p.Name
		if !p.Required {
			text += "?"
		}
		if slices.ContainsFunc(common, func(c surface.Param) bool { return takes(c) == takes(p) && c.Name == p.Name }) {
			list = append(list, text)
		} else {
			list = append(list, strings.TrimSpace(text+" "+takes(p)))
		}
	}
	if len(list) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(list, ", ") + " }"
}

// takes says what a parameter takes; empty for any text.
func takes(p surface.Param) string {
	text := ""
	switch p.Kind {
	case surface.Integer, surface.Number:
		text = "number"
		if p.Min != nil && p.Max != nil {
			text = fmt.Sprintf("%d..%d", *p.Min, *p.Max)
		}
	case surface.Boolean:
		text = "boolean"
	case surface.Strings:
		text = "[text]"
	case surface.Object:
		text = "object"
	case surface.Values, surface.Objects:
		text = "array"
		if len(p.Fields) > 6 {
			text = "[object]" // another tool takes the same
		} else if len(p.Fields) > 0 {
			text = "[" + inputOf(p.Fields, nil) + "]"
		}
	case surface.Order:
		text = "first|last|number"
	case surface.String, surface.Ignored:
		text = strings.Join(p.Choices, "|")
	}
	if p.Default != nil {
		value, _ := json.Marshal(p.Default)
		text += " = " + strings.Trim(string(value), `"`)
	}
	return strings.TrimSpace(text)
}

// commonParams are those that three tools or more take in the same way, and that take
// more to say than their name.
func commonParams(p *surface.Profile) []surface.Param {
	var found []surface.Param
	count := map[string]int{}
	for _, t := range p.Tools {
		for _, each := range t.Params {
			key := each.Name + " " + takes(each)
			if count[key]++; count[key] == 3 && takes(each) != "" {
				found = append(found, each)
			}
		}
	}
	return found
}

// firstSentence returns a text up to what begins the second sentence.
func firstSentence(text string) string {
	for _, end := range []string{". ", "; ", ": "} {
		if first, _, more := strings.Cut(text, end); more {
			return first + "."
		}
	}
	return text
}

// renderCommon lists what is described once: parameters, and shapes of answers.
func renderCommon(common []surface.Param, named shapes) string {
	var text strings.Builder
	if len(common) > 0 {
		var list []string
		for _, p := range common {
			list = append(list, fmt.Sprintf("`%s %s`", p.Name, takes(p)))
		}
		fmt.Fprintf(&text, "In several tools: %s.\n\n", strings.Join(list, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		fmt.Fprintf(&text, "- %s: `%s`\n", name, named[name])
	}
	if len(named) > 0 {
		text.WriteString("\n")
	}
	return text.String()
}

// switchedOff reports whether a toolset is off unless it is named.
func switchedOff(p *surface.Profile, toolset string) bool {
	return slices.ContainsFunc(p.Toolsets, func(each surface.Toolset) bool { return each.Name == toolset && !each.On })
}

// shorten returns JSON with what is kept of an object, or of the first element of an
// array; hides are not even missed.
func shorten(text string, keeps, hides []string) string {
	if elements := rawjson.Elements([]byte(text)); len(elements) > 0 {
		short := shorten(string(elements[0]), keeps, hides)
		if len(elements) > 1 {
			short += ",…"
		}
		return "[" + short + "]"
	}
	if !rawjson.IsObject([]byte(text)) {
		return text
	}
	var kept []string
	left := false
	for key, value := range rawjson.Members([]byte(text)) {
		if slices.Contains(hides, key) {
			continue
		}
		if len(keeps) == 0 || slices.Contains(keeps, key) {
			kept = append(kept, fmt.Sprintf("%q:%s", key, value))
		} else {
			left = true
		}
	}
	if left {
		kept = append(kept, "…")
	}
	return "{" + strings.Join(kept, ",") + "}"
}
