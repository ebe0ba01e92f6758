package profiletest_test

import (
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

func TestRun(t *testing.T) {
	profiletest.Run(t, profiletest.Options{Profile: "roam"},
		profiletest.Example{
			Name: "sees what another client wrote, and writes",
			Calls: []profiletest.Call{
				{
					Tool: "get_page", Arguments: `{"title":"Ada"}`, MostCalls: 1,
					Want: `{"graph":"work","uid":"ada000001","markdown":"<has Likes #tea>","...":"..."}`,
				},
				{
					Before: func(w *profiletest.World) { w.AddBlock("ada000001", "Writes programs") },
					Tool:   "get_page", Arguments: `{"title":"Ada"}`, Want: `{"markdown":"<has Writes programs>","...":"..."}`,
				},
				{Tool: "update_block", Arguments: `{"uid":"ad0000002","string":"Likes #coffee"}`},
				{Tool: "get_page", Arguments: `{}`, IsError: true, Want: `{"error":{"code":"INVALID_PARAMS","...":"..."},"...":"..."}`},
				{Tool: "nothing", Arguments: `{}`, RPC: -32602, Message: `unknown tool "nothing"`},
			},
			After: func(t testing.TB, w *profiletest.World) {
				if text, there := w.Text("ad0000002"); text != "Likes #coffee" || !there {
					t.Errorf("the block is %q", text)
				}
			},
		},
		profiletest.Example{
			Name:  "begins with a graph that no example has changed",
			Calls: []profiletest.Call{{Tool: "get_block", Arguments: `{"uid":"ad0000002"}`, Want: `{"markdown":"<has Likes #tea>","...":"..."}`}},
		},
	)
}

func TestAWorldHasASecondGraphAndLowerTokens(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Profile: "roam", Second: true, Level: localapi.ReadOnly})
	w := suite.World(t)
	c := w.Connect(profiletest.Ways()[0])
	if r := c.Call("get_page", `{"graph":"other","title":"Elsewhere"}`); !strings.Contains(r.Text(), "See [[Ada]]") {
		t.Error(r)
	}
	if r := c.Call("get_page", `{"title":"Ada"}`); !r.IsError || !strings.Contains(r.Text(), string(mcpserve.CodeGraphNotSelected)) {
		t.Error(r)
	}
	w.RoamOn(profiletest.SecondGraph, "data.block.update", map[string]any{"block": map[string]any{"uid": "el0000001", "string": "changed"}})
	if r := c.Call("get_page", `{"graph":"other","title":"Elsewhere"}`); !strings.Contains(r.Text(), "changed") {
		t.Error(r)
	}
	if r := c.Call("create_page", `{"graph":"other","title":"New"}`); !r.IsError {
		t.Errorf("a token that permits reading wrote: %s", r)
	}
}

func TestAWorldBreaksAndCounts(t *testing.T) {
	w := profiletest.NewSuite(t, profiletest.Options{}).World(t)
	c := w.Connect(profiletest.Ways()[3])
	w.Fault(func(r faultproxy.Request) faultproxy.Fault {
		return faultproxy.Fault{Kind: map[bool]faultproxy.Kind{true: faultproxy.HTMLBefore}[r.Action == "data.ai.getPage"]}
	})
	if r := c.Call("get_page", `{"title":"Ada"}`); !r.IsError || w.Calls()["data.ai.getPage"] != 1 {
		t.Errorf("%s after %v", r, w.Calls())
	}
	w.Fault(nil)
	w.ResetCalls()
	before := w.Clock.Now()
	if r := c.Call("get_page", `{"title":"Ada"}`); r.IsError || w.Calls().Total() != 1 {
		t.Errorf("%s after %v", r, w.Calls())
	}
	if passed := w.Clock.Now().Sub(before); passed != profiletest.Between {
		t.Errorf("%v have passed", passed)
	}
	w.Restart(func() {
		if r := c.Call("get_page", `{"title":"Ada"}`); !r.IsError {
			t.Errorf("Roam is closed: %s", r)
		}
	})
	if r := c.Call("get_page", `{"title":"Ada"}`); r.IsError {
		t.Error(r)
	}
	w.Switch("disabled")
	if r := c.Call("get_page", `{"title":"Ada"}`); !r.IsError || !strings.Contains(r.Text(), string(localapi.CodeDisabled)) {
		t.Error(r)
	}
}

func TestMatch(t *testing.T) {
	for name, each := range map[string]struct {
		pattern, text, differs string
	}{
		"takes an equal value":             {`{"a":[1,"x",null,true]}`, `{"a": [1, "x", null, true]}`, ""},
		"refuses another value":            {`{"a":[1,2]}`, `{"a":[1,3]}`, ".a[1] is 3, not 2"},
		"refuses another kind":             {`[]`, `{}`, "it is {}, not []"},
		"refuses a text for a number":      {`1`, `"1"`, `it is "1", not 1`},
		"refuses a member that is missing": {`{"a":1}`, `{}`, `it has no "a": {}`},
		"refuses a member too many":        {`{}`, `{"a":1}`, `it has "a" too: 1`},
		"takes further members if told so": {`{"a":1,"...":"..."}`, `{"a":1,"b":2}`, ""},
		"needs the members beside further": {`{"a":1,"...":"..."}`, `{"b":2}`, `it has no "a": {"b":2}`},
		"refuses an element too many":      {`[1]`, `[1,2]`, "it has 2 elements, not 1: [1,2]"},
		"takes further elements":           {`[1,"..."]`, `[1,2,3]`, ""},
		"takes no further elements":        {`[1,"..."]`, `[1]`, ""},
		"needs the elements before":        {`[1,2,"..."]`, `[1]`, "it has 1 elements, not 3: [1]"},
		"takes any value":                  {`["<any>","<any>"]`, `[null,{"a":1}]`, ""},
		"takes a number that is near":      {`"<~0.1282>"`, `0.12824`, ""},
		"refuses a number that is not":     {`"<~0.1282>"`, `0.1284`, `it is 0.1284, not "<~0.1282>"`},
		"takes a text that has another":    {`"<has tea>"`, `"Likes #tea"`, ""},
		"refuses a text that has it not":   {`"<has tea>"`, `"coffee"`, `it is "coffee", not "<has tea>"`},
		"takes other brackets as they are": {`"<b>"`, `"<b>"`, ""},
		"refuses what is no JSON":          {`1`, `x`, "no JSON: invalid character 'x' looking for beginning of value"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := profiletest.Match(each.pattern, each.text); err != nil {
				got = err.Error()
			}
			if got != each.differs {
				t.Errorf("%q, not %q", got, each.differs)
			}
		})
	}
}
