package skills

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"roam-mcp/assets"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
)

// table is what is said of the tools of a profile besides what the registry says.
type table struct {
	shapes shapes
	tools  map[string]entry
	hides  []string // members that answers are shown without
	// refuses are calls of any tool, for codes that are in the error model.
	refuses map[string][]refusal // by tool
}

func tables() map[string]table {
	return map[string]table{
		"roam":    addHistory(roamTable(), step{tool: "update_block", arguments: `{"uid":"sv0000001","string":"x"}`}),
		"graph":   addHistory(graphTable(), step{tool: "create_node", arguments: `{"title":"Fresh","content":"a"}`}),
		"notes":   addHistory(notesTable(), step{tool: "create_note", arguments: `{"title":"Fresh","content":"a"}`}),
		"outline": addHistory(outlineTable(), step{tool: "create_page", arguments: `{"title":"Fresh","content":"a"}`}),
		"wiki":    addHistory(wikiTable(), step{tool: "create_note", arguments: `{"path":"Fresh","title":"Fresh","content":"a"}`}),
	}
}

// mostBytes is the size of a skill, which a model reads whole.
const mostBytes = 14_250

func TestSkills(t *testing.T) {
	for _, p := range mcpserve.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			told, found := tables()[p.Name]
			if !found {
				t.Fatalf("internal/skills has no table for the profile %s: write one beside the others", p.Name)
			}
			ws := newWorlds(t, p.Name)
			tools := ws.tools(&p, told)
			golden.Section(t, pathOf(p.Name), "<!-- tools: go test ./internal/skills -update -->\n", "<!-- /tools -->", tools)
			ws.checkCodes(&p, told)
			checkSkill(t, p.Name)
		})
	}
}

// tools is the part of the skill on tools. Each call in it is made.
func (ws *worlds) tools(p *surface.Profile, told table) string {
	common := commonParams(p)
	var text strings.Builder
	text.WriteString(renderCommon(common, told.shapes))
	for _, name := range slices.Sorted(maps.Keys(told.tools)) {
		if _, found := p.Find(name); !found {
			ws.t.Errorf("the table has an entry for %s, which is no tool of the profile", name)
		}
	}
	for i := range p.Tools {
		tool := &p.Tools[i]
		e, found := told.tools[tool.Name]
		if !found {
			if tool.Run != nil {
				ws.t.Errorf("the tool %s has no entry in the table of its profile in internal/skills: write one, then run go test ./internal/skills -update", tool.Name)
			}
			continue
		}
		arguments, answer := ws.show(told, tool, e)
		if off := switchedOff(p, tool.Toolset); off && (i == 0 || p.Tools[i-1].Toolset != tool.Toolset) {
			fmt.Fprintf(&text, "%sToolset `%s`, off unless the server was started with it:\n\n", strings.Repeat("\n", 1-strings.Count(text.String()[text.Len()-2:], "\n")/2), tool.Toolset)
		}
		text.WriteString(renderTool(p, tool, e, common, arguments, answer))
	}
	return text.String()
}

// show makes the calls of an entry, and returns what is shown of the first one.
func (ws *worlds) show(told table, tool *surface.Tool, e entry) (arguments, answer string) {
	for i, each := range append([]example{e.shown}, e.others...) {
		args, r := ws.run(tool.Name, each, tool.Effects.ReadOnly)
		if r.RPC != nil || r.IsError {
			ws.t.Errorf("%s %s: %s", tool.Name, each.arguments, r)
			continue
		}
		if e.answers != "" {
			if err := told.shapes.fits(e.answers, r.Text()); err != nil {
				ws.t.Errorf("%s %s answers otherwise than its shape says: %v", tool.Name, each.arguments, err)
			}
		}
		if i == 0 {
			arguments, answer = args, r.Text()
			if e.answers != "" {
				answer = shorten(answer, each.keeps, told.hides)
			}
		}
	}
	if len(answer) > longest {
		ws.t.Errorf("%s: the answer that is shown has %d characters; keep less of it:\n%s", tool.Name, len(answer), answer)
	}
	return arguments, answer
}

var (
	codeInText   = regexp.MustCompile("`([A-Z][A-Z_]{4,})`")
	codeInAnswer = regexp.MustCompile(`\\?"(?:code|cause)\\?":\\?"([A-Z_]+)\\?"`)
)

// isSentence reports whether a code is how an error begins, in a profile whose errors are
// sentences.
func isSentence(code string) bool { return strings.Contains(code, " ") }

func closing(code string) string {
	if isSentence(code) {
		return " …`"
	}
	return "`"
}

// checkCodes provokes each refusal, and compares their codes with those in the skill.
func (ws *worlds) checkCodes(p *surface.Profile, told table) {
	provoked, seen := map[string]bool{}, map[string]bool{"OUTCOME_UNKNOWN": true} // which takes seconds to be sure of
	check := func(tool string, each refusal) {
		_, r := ws.run(tool, each.example, true)
		if got := codeOf(r); got != each.code && !(isSentence(each.code) && strings.HasPrefix(got, each.code)) {
			ws.t.Errorf("%s %s fails with %q, not %s: %s", tool, each.arguments, got, each.code, r)
		}
		provoked[each.code] = true
		for _, found := range codeInAnswer.FindAllStringSubmatch(r.String(), -1) {
			seen[found[1]] = true
		}
	}
	for _, tool := range p.Tools {
		for _, each := range told.tools[tool.Name].refuses {
			check(tool.Name, each)
		}
		for _, each := range told.refuses[tool.Name] {
			check(tool.Name, each)
		}
	}
	_, model, _ := strings.Cut(readSkill(ws.t, p.Name), "\n## Error model\n")
	model, _, _ = strings.Cut(model, "\n## ")
	for _, found := range codeInText.FindAllStringSubmatch(model, -1) {
		if !seen[found[1]] {
			ws.t.Errorf("the error model names %s, which no call in the table provokes", found[1])
		}
	}
	for code := range provoked {
		if !strings.Contains(model, "`"+code+closing(code)) {
			ws.t.Errorf("the error model does not say what to do on %s", code)
		}
	}
}

func pathOf(profile string) string { return "../../assets/skills/" + profile + "/SKILL.md" }

// readSkill returns a skill as the file is now, which the test may have written.
func readSkill(t *testing.T, profile string) string {
	t.Helper()
	data, err := os.ReadFile(pathOf(profile))
	require.NoError(t, err)
	return strings.ReplaceAll(string(data), "\r\n", "\n")
}

// checkSkill looks at the rest of a skill.
func checkSkill(t *testing.T, profile string) {
	text := readSkill(t, profile)
	if !strings.HasPrefix(text, fmt.Sprintf("---\nname: roam-mcp-%s\ndescription: ", profile)) {
		t.Error("its front matter does not begin with name and description")
	}
	var front struct {
		Name, Description string
		Metadata          struct{ Version string }
	}
	_, matter, _ := strings.Cut(text, "---\n")
	matter, _, _ = strings.Cut(matter, "\n---\n")
	if err := yaml.Unmarshal([]byte(matter), &front); err != nil || front.Name != "roam-mcp-"+profile || front.Description == "" || front.Metadata.Version != assets.SkillVersion(profile) {
		t.Errorf("its front matter is %+v, %v", front, err)
	}
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(assets.SkillVersion(profile)) {
		t.Errorf("its version is %q", assets.SkillVersion(profile))
	}
	at := 0
	for _, section := range []string{"Purpose", "Setup", "How to work", "Tools", "Error model", "Capability gating", "Versioning"} {
		next := strings.Index(text, "\n## "+section+"\n")
		if next < at {
			t.Errorf("the section %q is missing, or in the wrong place", section)
		}
		at = max(at, next)
	}
	if t.Logf("%d bytes", len(text)); len(text) > mostBytes {
		t.Errorf("it has %d bytes, and may have %d", len(text), mostBytes)
	}
}
