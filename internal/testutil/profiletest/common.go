package profiletest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/mcpserve"
	"roam-mcp/mcpserve/surface"
)

// mostListed is how many bytes a model sees at most of the list of a profile's tools: their
// names, descriptions and input schemas.
const mostListed = 14 << 10

// CheckToolsTable compares the table of the profile's tools in docs/profiles with the
// profile.
func CheckToolsTable(t testing.TB, p surface.Profile) {
	t.Helper()
	CheckTable(t, p.Name, "tools", ToolsTable(p))
}

// CheckCallsTable compares the table of the calls of the profile's tools that read in
// docs/profiles with what they need. toolsets are those that are served; nil: as without
// the option. arguments are by tool.
func CheckCallsTable(t *testing.T, p surface.Profile, toolsets []string, arguments map[string]string) {
	t.Helper()
	suite := NewSuite(t, Options{Profile: p.Name, Server: func(o *mcpserve.Options) { o.Toolsets = toolsets }})
	CheckTable(t, p.Name, "calls", suite.CallsTable(t, p, arguments))
}

// CheckTable compares a table of the profile's paper in docs/profiles, the one between the
// comments "NAME" and "/NAME", with a text. It is called from the folder of a profile;
// go test ./mcpserve/profile/... -update writes the tables.
func CheckTable(t testing.TB, profile, name, text string) {
	t.Helper()
	golden.Section(t, "../../../docs/profiles/"+profile+".md", "<!-- "+name+" -->\n", "<!-- /"+name+" -->", text)
}

// Offer is what a server with options offers.
type Offer struct {
	Options Options
	Tools   []string // in any order
}

// CheckOffers checks that the tools of the profile begin with the toolset core in its
// order, what is offered by default, of that toolset, read-only and with several graphs,
// and the further offers, by what each is. A model sees less than 14 KB of each.
// readers are the tools of core that read.
func CheckOffers(t *testing.T, p surface.Profile, core, readers []string, further map[string]Offer) {
	t.Helper()
	t.Run("the tools of the toolset core come first, in its order", func(t *testing.T) {
		var first []string
		for i, each := range p.Tools {
			if i < len(core) || each.Toolset == "core" {
				first = append(first, each.Name)
			}
		}
		if !slices.Equal(first, core) {
			t.Errorf("got %q, not %q", first, core)
		}
	})
	const guidelines = "get_graph_guidelines"
	offers := map[string]Offer{
		"one graph: the toolset core and the guidelines": {Options{}, append(slices.Clone(core), guidelines)},
		"the toolset core alone":                         {Options{Server: func(o *mcpserve.Options) { o.Toolsets = []string{"core"} }}, core},
		"read-only: what reads":                          {Options{Server: readOnly}, append(slices.Clone(readers), guidelines)},
		"several graphs: those that choose one too":      {Options{Second: true}, append(slices.Clone(core), "list_graphs", "select_graph", "current_graph", guidelines)},
	}
	maps.Copy(offers, further)
	for name, offer := range offers {
		t.Run(name, func(t *testing.T) {
			offer.Options.Profile = p.Name
			_, c := Connect(t, offer.Options)
			var got []string
			size := 0
			for _, each := range c.Tools() {
				got = append(got, each.Name)
				size += len(rawjson.With("name", each.Name).With("description", each.Description).With("inputSchema", each.InputSchema).JSON())
			}
			want := slices.Sorted(slices.Values(offer.Tools))
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("got %q, not %q", got, want)
			}
			if t.Logf("%d bytes", size); size >= mostListed {
				t.Errorf("a model sees %d bytes of tools/list", size)
			}
		})
	}
}

func readOnly(o *mcpserve.Options) { o.ReadOnly = true }

// CheckReadOnly checks that a server that is started read-only answers the writes as they
// say, and asks Roam for nothing.
func CheckReadOnly(t *testing.T, profile string, writes ...Call) {
	t.Helper()
	w, c := Connect(t, Options{Profile: profile, Server: readOnly})
	for _, each := range writes {
		each.Before = func(w *World) {
			if w.Calls().Total() != 0 {
				t.Errorf("before %s: %v", each.Tool, w.Calls())
			}
		}
		if c.Expect(t, each); w.Calls().Total() != 0 {
			t.Errorf("%s: %v", each.Tool, w.Calls())
		}
	}
}

// CheckTickets checks that a write to the main graph needs its ticket, and that nothing is
// sent without. c is a client of a world with a second graph. The arguments of the write
// are those without graph and ticket, and its answer is that to the right ticket.
func CheckTickets(t *testing.T, c *Client, write Call) {
	t.Helper()
	ticketOf := func(graph string) string {
		t.Helper()
		var told struct{ Ticket string }
		c.Call("get_graph_guidelines", string(rawjson.With("graph", graph).JSON())).Decode(t, &told)
		return told.Ticket
	}
	arguments := rawjson.Parse([]byte(write.Arguments)).With("graph", MainGraph)
	refused := func(arguments rawjson.Object, code problem.Code) Result {
		t.Helper()
		r := c.Call(write.Tool, string(arguments.JSON()))
		if err := Match(`{"error":{"code":"`+string(code)+`","...":"..."},"...":"..."}`, r.Text()); err != nil || !r.IsError {
			t.Errorf("%v: %s", err, r)
		}
		return r
	}
	ticket, other := ticketOf(MainGraph), ticketOf(SecondGraph)
	refused(arguments, mcpserve.CodeTicketRequired)
	refused(arguments.With("ticket", ""), mcpserve.CodeTicketRequired)
	refused(arguments.With("ticket", other), mcpserve.CodeTicketWrongGraph)
	c.w.AddBlock("guide0001", "Be brief")
	if r := refused(arguments.With("ticket", ticket), mcpserve.CodeTicketStale); !strings.Contains(r.Text(), "Be brief") {
		t.Errorf("the guidelines are not told: %s", r)
	}
	for action := range c.w.Calls() {
		if strings.HasPrefix(action, "data.page.") || strings.HasPrefix(action, "data.block.") || action == "batchActions" {
			t.Errorf("%s was sent", action)
		}
	}
	write.Arguments = string(arguments.With("ticket", ticketOf(MainGraph)).JSON())
	c.Expect(t, write)
}

// CheckClosed checks what a server answers while Roam is closed, to the client and to one
// that comes then: it lists so many tools, and answers the calls as they say. Roam is open
// again afterwards.
func CheckClosed(t *testing.T, c *Client, tools int, calls ...Call) {
	t.Helper()
	c.w.Fault(func(faultproxy.Request) faultproxy.Fault { return faultproxy.Fault{Kind: faultproxy.ResetBefore} })
	defer c.w.Fault(nil)
	for _, each := range []*Client{c, c.w.Connect(Ways()[0])} {
		if n := len(each.Tools()); n != tools {
			t.Errorf("%d tools are listed, not %d", n, tools)
		}
		each.Expect(t, calls...)
	}
}
