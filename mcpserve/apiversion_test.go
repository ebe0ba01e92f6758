package mcpserve

import (
	"os"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

func TestTheVersionThatIsExpectedOfRoam(t *testing.T) {
	pantry := newPantry(t)
	for name, tc := range map[string]struct {
		graph, server string // apiVersion in the configuration, --api-version
		build         string // of the sandbox
		refused       bool
	}{
		"is this program's":              {"", "", "api-version=1.2.0", true},
		"is any, of the server":          {"", "any", "api-version=1.2.0", false},
		"is any, of the graph":           {"any", "", "build=api-0.0.9", false},
		"is the one that is given":       {"", "0.0.1", "build=api-0.0.9", false},
		"is the graph's where both have": {"0.0.9", "1.1.5", "build=api-0.0.9", false},
		"is the graph's, which is wrong": {"1.1.5", "any", "build=api-0.0.9", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKitchen(t, pantry)
			w := k.serve(place{change: func(o *Options) { o.APIVersion = tc.server }})
			if tc.graph != "" {
				text, err := os.ReadFile(w.path)
				require.NoError(t, err)
				w.configure(strings.Replace(string(text), `"nickname"`, `"apiVersion":"`+tc.graph+`","nickname"`, 1))
			}
			k.turn(tc.build)
			reply := w.connect().call("get_page", `{"title":"Bread"}`)
			if !tc.refused {
				demand(t, "the reply", reply.ok().text, []string{"blk-flour"}, nil)
				return
			}
			hint, _ := reply.fails(localapi.CodeVersionMismatch).failure["hint"].(string)
			if !strings.Contains(hint, "serve --api-version any, or apiVersion of the graph") {
				t.Errorf("the hint is %s", hint)
			}
		})
	}
}
