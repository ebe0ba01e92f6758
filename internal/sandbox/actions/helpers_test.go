package actions

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/graphdb"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/sandbox/desk"
	"roam-mcp/internal/sandbox/store"
	"roam-mcp/internal/testutil/require"
)

var small = localapi.Graph{Name: "small", Type: localapi.Hosted}

// clock returns the time at which tests begin.
func clock() time.Time { return time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC) }

// caller runs actions on a graph whose every block a test can know, as an AI that
// may do everything. Its embedded Call is what every call is made from.
type caller struct {
	t        *testing.T
	registry *Registry
	Call
}

func start(t *testing.T, options Options) *caller {
	t.Helper()
	folder, err := store.OpenFolder(t.TempDir())
	require.NoError(t, err)
	c := &caller{t, New(options), Call{Now: clock(), AI: true, MayEdit: true, Permit: func(string, desk.Scope) error { return nil }}}
	c.Graph, err = Create(t.Context(), folder, small, store.Options{Now: clock}, func(_ *graphdb.Tx, w *outline.Writer) error {
		export, err := os.Open("../testdata/small.json")
		if err != nil {
			return err
		}
		defer export.Close()
		_, err = w.ImportJSON(t.Context(), export, outline.ImportOptions{})
		return err
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := errors.Join(c.Graph.Data.Close(), folder.Close()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// tryArgs runs an action with a JSON array of arguments and returns its result.
func (c *caller) tryArgs(action, array string) (string, error) {
	c.t.Helper()
	call := c.Call
	call.Action = action
	if err := json.Unmarshal([]byte(array), &call.Args); err != nil {
		c.t.Fatalf("%s: %v", array, err)
	}
	result, err := c.registry.Run(c.t.Context(), call)
	return string(result), err
}

// try runs an action with one argument in JSON, or with none.
func (c *caller) try(action, argument string) (string, error) {
	c.t.Helper()
	return c.tryArgs(action, "["+argument+"]")
}

// do is try for an action that must succeed.
func (c *caller) do(action, argument string) string {
	c.t.Helper()
	result, err := c.try(action, argument)
	if err != nil {
		c.t.Fatalf("%s %s: %v", action, argument, err)
	}
	return result
}

// markdown returns a page or block as it is read, blank where there is none.
func (c *caller) markdown(uid string) string {
	c.t.Helper()
	var read struct {
		Markdown string `json:"markdown"`
	}
	require.NoError(c.t, json.Unmarshal([]byte(c.do("data.ai.getBlock", fmt.Sprintf(`{"uid": %q}`, uid))), &read))
	return read.Markdown
}

// sameSet compares two JSON lists without regard to order.
func sameSet(a, b string) bool {
	count := func(text string) map[string]int {
		var items []json.RawMessage
		if json.Unmarshal([]byte(text), &items) != nil {
			return map[string]int{text: -1}
		}
		set := map[string]int{}
		for _, item := range items {
			set[string(item)]++
		}
		return set
	}
	return reflect.DeepEqual(count(a), count(b))
}

// maskUIDs hides the uids that are made up by chance: ours have a dash.
func maskUIDs(s string) string {
	parts := strings.Split(s, `<roam uid="`)
	for i := 1; i < len(parts); i++ {
		uid, rest, _ := strings.Cut(parts[i], `"`)
		if strings.HasPrefix(uid, "blk-") || strings.HasPrefix(uid, "page-") || strings.HasPrefix(uid, "11-") {
			parts[i] = `<roam uid="` + uid + `"` + rest
		} else {
			parts[i] = `<roam uid=U` + rest
		}
	}
	return strings.Join(parts, "")
}
