package mcpserve

import (
	"fmt"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
)

func TestInstructionsSayWhatIsEnabled(t *testing.T) {
	var many []string
	for n := range 30 {
		many = append(many, fmt.Sprintf(`{"name":"g%d","token":%q,"nickname":"Graph number %d %s"}`, n, secretOf("x"), n, strings.Repeat("x", 100)))
	}
	disabled := strings.ReplaceAll(configText("Work"), `"accessLevel"`, `"disabled":true,"accessLevel"`)
	onlyRead := strings.ReplaceAll(configText("Work"), `"full"`, `"read-only"`)
	var out strings.Builder
	for _, c := range []struct {
		name, config string
		change       func(*Options)
	}{
		{"no configuration", "", func(*Options) {}},
		{"no graph", `{"version":1,"graphs":[]}`, func(*Options) {}},
		{"all graphs disabled", disabled, func(*Options) {}},
		{"one graph", configText("Work"), func(*Options) {}},
		{"one graph that may only be read", onlyRead, func(*Options) {}},
		{"one graph, started read-only", configText("Work"), func(o *Options) { o.ReadOnly = true }},
		{"one graph, without its guidelines", configText("Work"), func(o *Options) { o.Toolsets = []string{"read", "write"} }},
		{"several graphs", configText("Work", "Home"), func(*Options) {}},
		{"several graphs, reading only", configText("Work", "Home"), func(o *Options) { o.Toolsets = []string{"graphs", "read"} }},
		{"several graphs, started read-only", configText("Work", "Home"), func(o *Options) { o.ReadOnly = true }},
		{"many graphs with long nicknames", `{"version":1,"graphs":[` + strings.Join(many, ",") + `]}`, func(*Options) {}},
	} {
		w := newWorld(t, c.config, c.change)
		text := w.server.instructions()
		fmt.Fprintf(&out, "### %s\n%s\n\n", c.name, text)
		if len(text) > 1200 {
			t.Errorf("%s: %d characters", c.name, len(text))
		}
		for _, each := range roamTools() {
			if strings.Contains(each.Name, "_") && strings.Contains(text, each.Name) && !w.server.isOffered(each.Name) {
				t.Errorf("%s: names %s, which is not offered", c.name, each.Name)
			}
		}
	}
	golden.File(t, "testdata/roam/instructions.golden", out.String())
}
