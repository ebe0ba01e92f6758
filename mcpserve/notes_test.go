package mcpserve

import (
	"encoding/json"
	"testing"

	"roam-mcp/internal/problem"
)

func TestTranslateNotes(t *testing.T) {
	world := problem.World{Tool: func(t problem.Task) string {
		return map[problem.Task]string{problem.ReadBacklinks: "get_backlinks"}[t]
	}}
	for name, tc := range map[string]struct{ reply, want string }{
		"names a tool in the note of linked references": {`{"uid":"p","linkedReferences":{"results":[],"note":"getBacklinks gives all."}}`, `{"uid":"p","linkedReferences":{"results":[],"note":"get_backlinks gives all."}}`},
		"names a tool in the note of a list":            {`{"note":"Call data.ai.getBacklinks again."}`, `{"note":"Call get_backlinks again."}`},
		"names a tool in each of several pages":         {`{"pages":[{"linkedReferences":{"note":"getBacklinks"}}]}`, `{"pages":[{"linkedReferences":{"note":"get_backlinks"}}]}`},
		"leaves content as it is":                       {`{"markdown":"- getBacklinks \"note\"","results":[{"note":"getBacklinks"}]}`, `{"markdown":"- getBacklinks \"note\"","results":[{"note":"getBacklinks"}]}`},
		"leaves the name of a tool that is not offered": {`{"note":"semanticSearch, getBacklinksOf"}`, `{"note":"semanticSearch, getBacklinksOf"}`},
		"leaves what is no object":                      {`["note","getBacklinks"]`, `["note","getBacklinks"]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(translateNotes(json.RawMessage(tc.reply), world)); got != tc.want {
				t.Errorf("got %s", got)
			}
		})
	}
}
