package mcpserve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"roam-mcp/internal/graph/mirror"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/activity"
	"roam-mcp/mcpserve/profile/roam"
	"roam-mcp/mcpserve/surface"
)

// smallProfile is a profile in the style Bare, with a tool for each form that a reply
// can have. Its errors are JSON-RPC errors.
func smallProfile() surface.Profile {
	say := problem.Say
	low, high := surface.Between(1, 50)
	tool := func(name string, does problem.Task, run surface.Handler, params ...surface.Param) surface.Tool {
		return surface.Tool{
			Name: name, Task: does, Title: name, Description: say("Does %s.", name), Toolset: "core", Effects: surface.Reads(),
			Scope: surface.ScopeRead, OnGraph: true, Params: params, Run: run,
		}
	}
	value := surface.Param{Name: "json", Kind: surface.String, About: say("What is answered.")}
	answers := func(_ context.Context, c surface.Call) (surface.Reply, error) {
		return surface.Reply{JSON: json.RawMessage(c.Args().Text("json")), Note: c.Args().Text("note"), Total: c.Args().Number("total", 0)}, nil
	}
	list := tool("answer", problem.Search, answers, value,
		surface.Param{Name: "note", Kind: surface.String, About: say("What is said beside it.")},
		surface.Param{Name: "total", Kind: surface.Integer, About: say("Elements in all.")},
		surface.Param{Name: "offset", Kind: surface.Integer, Min: surface.AtLeast(0), Default: 0, About: say("Elements to skip.")},
		surface.Param{Name: "limit", Kind: surface.Integer, Min: low, Max: high, Clamp: true, Default: 10, About: say("Elements at most.")},
		surface.Param{Name: "tags", Kind: surface.Strings, Min: surface.AtLeast(1), NonEmpty: true, Default: []string{}, About: say("Tags.")},
		surface.Param{Name: "metric", Kind: surface.String, Choices: []string{"in", "out"}, Default: "in", About: say("Which.")},
		surface.Param{Name: "threshold", Kind: surface.Number, Min: surface.AtLeast(0), About: say("Least score.")},
	)
	list.Cuts = []surface.Cut{surface.CutArray{Shrink: []string{"content"}, ShrinkTo: 500, Rest: surface.NextOffset(problem.Search)}, surface.CutContent{Field: "content"}}
	write := tool("write", problem.UpdateBlock, func(ctx context.Context, c surface.Call) (surface.Reply, error) {
		_, err := c.Graph().MoveBlock(ctx, ops.BlockMove{UID: "a", ParentUID: "b", Order: ops.Order{}})
		return surface.Reply{JSON: json.RawMessage(`{"written":true}`)}, err
	})
	write.Effects, write.Scope, write.Output = surface.Edits(), surface.ScopeEdit, []surface.Param{}
	tools := []surface.Tool{
		list, write,
		tool("object", problem.ReadPage, answers, value),
		tool("read", problem.ReadBlock, func(ctx context.Context, c surface.Call) (surface.Reply, error) {
			_, err := c.Graph().Ask(ctx, "data.ai.getBlock")
			return surface.Reply{JSON: json.RawMessage(`null`)}, err
		}),
		tool("mirror", problem.SearchByMeaning, func(ctx context.Context, c surface.Call) (surface.Reply, error) {
			_, err := c.Mirror(ctx, mirror.Links)
			return surface.Reply{JSON: json.RawMessage(`[]`)}, err
		}),
		tool("panic", problem.RunQuery, func(context.Context, surface.Call) (surface.Reply, error) { panic("S3cr3t") }),
	}
	tools[2].Output = []surface.Param{}
	for _, each := range roam.Profile().Tools {
		if each.Run == nil && each.Toolset == "graphs" {
			tools = append(tools, each)
		}
	}
	return surface.Profile{
		Name: "small", About: "a little of everything", Style: surface.Bare, Verbatim: true, Mirrors: true, Probe: "mirror",
		Toolsets: []surface.Toolset{{Name: "core", On: true}, {Name: "graphs", On: true}},
		Tools:    tools, Fail: failsAsRPC,
		Instructions: func(surface.Situation) problem.Hint { return say("Small.") },
	}
}

// failsAsRPC answers with JSON-RPC errors.
func failsAsRPC(e *problem.Error, world problem.World, _ int) surface.Failure {
	return surface.Failure{Code: -32600, Message: "MCP error -32600: " + e.Message, Data: surface.ErrorObject(e, world).JSON()}
}

func newSmallWorld(t *testing.T, config string, change ...func(*Options)) *world {
	t.Helper()
	return newWorld(t, config, append([]func(*Options){func(o *Options) { o.Profile, o.profiles = "small", []registered{{"small", smallProfile}} }}, change...)...)
}

// ways are clients of both eras over both transports.
func (w *world) ways() map[string]*client {
	clients, endpoint := map[string]*client{}, w.serveHTTP()
	for _, era := range []string{"2025-11-25", statelessVersion} {
		clients["http, "+era] = endpoint.connect(era, "test")
		clients["stdio, "+era] = w.connectStdio(era)
	}
	return clients
}

func (w *world) connectStdio(version string) *client {
	w.t.Helper()
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- w.server.ServeStdio(context.WithoutCancel(w.t.Context()), inReader, outWriter) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(w.t.Context(), &mcp.IOTransport{Reader: outReader, Writer: inWriter}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = session.Close(); <-served })
	return &client{w.t, session}
}

// texts calls a tool and returns the texts of the result.
func (c *client) texts(tool, arguments string) ([]string, *mcp.CallToolResult) {
	c.t.Helper()
	result, err := c.CallTool(c.t.Context(), callOf(tool, arguments))
	require.NoError(c.t, err)
	var texts []string
	for _, content := range result.Content {
		texts = append(texts, content.(*mcp.TextContent).Text)
	}
	return texts, result
}

func jsonArgument(value string, more ...string) string {
	return string(rawjson.With("json", value).JSON()[:len(rawjson.With("json", value).JSON())-1]) + strings.Join(more, "") + "}"
}

func TestABareReply(t *testing.T) {
	w := newSmallWorld(t, configText("Work"))
	for way, c := range w.ways() {
		for name, tc := range map[string]struct {
			tool, arguments string
			want            []string
			structured      bool
		}{
			"is an array as it is":                             {"answer", jsonArgument(`[1,{"a":2}]`), []string{`[1,{"a":2}]`}, false},
			"is null as it is":                                 {"answer", jsonArgument(`null`), []string{`null`}, false},
			"is an object without a label":                     {"answer", jsonArgument(`{"note":"getPage"}`), []string{`{"note":"getPage"}`}, false},
			"has structured content for an object with schema": {"object", jsonArgument(`{"id":"x"}`), []string{`{"id":"x"}`}, true},
			"has none for null, schema or not":                 {"object", jsonArgument(`null`), []string{`null`}, false},
			"has a note beside it":                             {"answer", jsonArgument(`[]`, `,"note":"Tag kept."`), []string{`[]`, "Tag kept."}, false},
			"tells beside it what was adjusted": {
				"answer", jsonArgument(`[]`, `,"note":"Tag kept.","limit":99`),
				[]string{`[]`, "Tag kept. limit was 99; it is a whole number from 1 to 50, so 50 was used."}, false,
			},
		} {
			t.Run(name+", "+way, func(t *testing.T) {
				c.t = t
				texts, result := c.texts(tc.tool, tc.arguments)
				if !slices.Equal(texts, tc.want) || result.IsError {
					t.Errorf("got %q", texts)
				}
				if (result.StructuredContent != nil) != tc.structured {
					t.Errorf("structured: %v", result.StructuredContent)
				}
				if result.Meta["graph"] != "Work" || result.Meta["graphName"] != "work-graph" || result.Meta["asOf"] != nil {
					t.Errorf("_meta: %v", result.Meta)
				}
			})
		}
	}
}

func TestGuidelinesInTheStyleBare(t *testing.T) {
	w := newSmallWorld(t, configText("Work", "Home"))
	c := w.connect()
	for tool, arguments := range map[string]string{"select_graph": `{"graph":"Home"}`, "get_graph_guidelines": `{"graph":"Home"}`, "current_graph": `{"graph":"Home"}`} {
		texts, result := c.texts(tool, arguments)
		object := rawjson.Parse([]byte(texts[0]))
		if object.Get("graph") != nil || object.Get("graphName") != nil || result.Meta["graph"] != "Home" || result.Meta["graphName"] != "home-graph" {
			t.Errorf("%s: %s, _meta %v", tool, texts, result.Meta)
		}
		if said, _ := object.Text("guidelines"); tool != "current_graph" && said != "Be brief." {
			t.Errorf("%s: %s", tool, texts)
		}
	}
}

// notesOf is an array of n notes with contents of a size.
func notesOf(n, size int) string {
	var notes []json.RawMessage
	for i := range n {
		notes = append(notes, rawjson.With("id", fmt.Sprint("note", i)).With("content", strings.Repeat("word ", size/5)).JSON())
	}
	return string(rawjson.Array(notes))
}

func TestABareReplyIsCut(t *testing.T) {
	w := newSmallWorld(t, configText("Work"), func(o *Options) { o.MaxReply = SmallestReply })
	c := w.connect()
	t.Run("at whole elements, and following the notes gives each once", func(t *testing.T) {
		count := 4312
		if race.Enabled {
			count = 1312
		}
		var seen []string
		all := rawjson.Elements(json.RawMessage(notesOf(count, 40)))
		for offset := 0; offset < len(all); {
			texts, _ := c.texts("answer", jsonArgument(string(rawjson.Array(all[offset:])), fmt.Sprintf(`,"offset":%d`, offset)))
			list := rawjson.Elements(json.RawMessage(texts[0]))
			for _, each := range list {
				id, _ := rawjson.Parse(each).Text("id")
				seen = append(seen, id)
			}
			next := offset + len(list)
			want := fmt.Sprintf("Shown %s to %s of %s; call answer with offset %d.", withCommas(offset+1), withCommas(next), withCommas(count), next)
			if next < len(all) && (len(texts) != 2 || !strings.HasSuffix(texts[1], want)) {
				t.Fatalf("the note is %q, not %q", texts[1:], want)
			}
			if offset = next; len(list) == 0 {
				t.Fatal("nothing is shown")
			}
		}
		if len(seen) != count || seen[count-1] != fmt.Sprintf("note%d", count-1) {
			t.Errorf("%d elements, the last %s", len(seen), seen[len(seen)-1])
		}
	})
	t.Run("after the texts of its elements", func(t *testing.T) {
		texts, _ := c.texts("answer", jsonArgument(notesOf(3, 20_000)))
		list := rawjson.Elements(json.RawMessage(texts[0]))
		content, _ := rawjson.Parse(list[0]).Text("content")
		if len(list) != 3 || !strings.HasSuffix(content, "... [truncated]") || len([]rune(content)) != 515 || len(texts) != 2 || texts[1] != "Texts are cut to 500 characters." {
			t.Errorf("got %d, %.100s, %q", len(list), content, texts[1:])
		}
	})
	t.Run("with the number of all elements, where the tool knows it", func(t *testing.T) {
		texts, _ := c.texts("answer", jsonArgument(notesOf(300, 40), `,"total":5000`))
		if !strings.Contains(texts[1], "of 5,000;") {
			t.Errorf("got %q", texts[1:])
		}
	})
	t.Run("inside an element that is too long by itself", func(t *testing.T) {
		items := rawjson.With("id", "a").With("checkItems", json.RawMessage(notesOf(800, 40))).With("content", "short").JSON()
		texts, _ := c.texts("answer", jsonArgument(`[`+string(items)+`,{"id":"b"}]`))
		list := rawjson.Elements(json.RawMessage(texts[0]))
		first := rawjson.Parse(list[0])
		id, _ := first.Text("id")
		content, _ := first.Text("content")
		if len(list) != 1 || id != "a" || content != "short" || len(rawjson.Elements(first.Get("checkItems"))) == 0 || !strings.Contains(texts[1], "The element itself is cut. Shown 1 to 1 of 2; call answer with offset 1.") {
			t.Errorf("got %.300s, %q", texts[0], texts[1:])
		}
	})
	t.Run("at the end of a line of an object's content", func(t *testing.T) {
		content := strings.Repeat("A line of some words.\n", 2000)
		texts, _ := c.texts("answer", jsonArgument(string(rawjson.With("id", "a").With("content", content).With("tags", []string{"x"}).JSON())))
		object := rawjson.Parse([]byte(texts[0]))
		said, _ := object.Text("content")
		if !strings.HasSuffix(said, "words.\n... [truncated]") || string(object.Get("tags")) != `["x"]` || len(texts) != 2 || texts[1] != "The field content is cut." {
			t.Errorf("got ...%q, %q", said[len(said)-60:], texts[1:])
		}
	})
	for name, value := range map[string]string{
		"an array of lists": `[` + strings.Repeat(`[1,2,3,4,5],`, 2000) + `[]]`, "an array of one text": `["` + strings.Repeat("word ", 9000) + `"]`,
		"an object of many fields": string(rawjson.With("a", strings.Repeat("x ", 9000)).With("b", json.RawMessage(notesOf(900, 40))).With("content", strings.Repeat("no line ", 9000)).JSON()),
		"a graph of Chinese":       string(rawjson.With("content", strings.Repeat("漢字", 9000)).JSON()),
	} {
		t.Run("whatever it is: "+name, func(t *testing.T) {
			texts, _ := c.texts("answer", jsonArgument(value))
			if !json.Valid([]byte(texts[0])) || texts[0][0] != value[0] || !surface.Fits(texts[0], SmallestReply) || len(texts) != 2 {
				t.Errorf("got %.100s, %q", texts[0], texts[1:])
			}
		})
	}
}

func withCommas(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

func TestAFailureAsAJSONRPCError(t *testing.T) {
	w := newSmallWorld(t, configText("Work"))
	calls := w.server.Activity().Subscribe(activity.SubscribeOptions{})
	for way, c := range w.ways() {
		for name, tc := range map[string]struct {
			tool, arguments string
			code            problem.Code
		}{
			"for an error of Roam's":         {"read", `{}`, localapi.CodeUnsupportedRoam},
			"for bad arguments":              {"answer", `{"metric":"degree"}`, surface.CodeInvalidParams},
			"for an empty list":              {"answer", `{"tags":[]}`, surface.CodeInvalidParams},
			"for a number out of its bounds": {"answer", `{"threshold":-0.1}`, surface.CodeInvalidParams},
			"for an unknown argument graph":  {"answer", `{"graph":"Work"}`, surface.CodeInvalidParams},
			"for an unknown argument ticket": {"answer", `{"ticket":"x"}`, surface.CodeInvalidParams},
			"for a panic":                    {"panic", `{}`, localapi.CodeInternal},
		} {
			t.Run(name+", "+way, func(t *testing.T) {
				_, err := c.CallTool(t.Context(), callOf(tc.tool, tc.arguments))
				var coded *jsonrpc.Error
				if !errors.As(err, &coded) || coded.Code != -32600 || !strings.HasPrefix(coded.Message, "MCP error -32600: ") || strings.Contains(coded.Message, "S3cr3t") {
					t.Fatalf("got %v", err)
				}
				if code, _ := rawjson.Parse(coded.Data).Text("code"); code != string(tc.code) {
					t.Errorf("data: %s", coded.Data)
				}
				for event := range calls.Events() {
					if event.Ended {
						if event.Outcome != tc.code {
							t.Errorf("the log has %s", event.Outcome)
						}
						break
					}
				}
			})
		}
	}
	if counters := w.server.Activity().Counters(); counters.Failed != 28 || counters.Running != 0 {
		t.Errorf("counted: %+v", counters)
	}
}

func TestFailuresAboutTheGraphAreOursInEveryProfile(t *testing.T) {
	for name, tc := range map[string]struct {
		config, tool, arguments string
		code                    problem.Code
	}{
		"no graph selected":        {configText("Work", "Home"), "answer", `{}`, CodeGraphNotSelected},
		"an unknown graph":         {configText("Work", "Home"), "answer", `{"graph":"nope"}`, "GRAPH_NOT_CONFIGURED"},
		"a disabled graph":         {strings.ReplaceAll(configText("Work"), `"accessLevel"`, `"disabled":true,"accessLevel"`), "answer", `{}`, CodeGraphDisabled},
		"a write without ticket":   {configText("Work", "Home"), "write", `{"graph":"Work"}`, CodeTicketRequired},
		"a stale ticket":           {configText("Work", "Home"), "write", `{"graph":"Work","ticket":"x"}`, CodeTicketStale},
		"a broken configuration":   {`{"version":`, "answer", `{}`, "CONFIG_INVALID"},
		"no configuration":         {"", "answer", `{}`, "CONFIG_NOT_FOUND"},
		"a tool that all have":     {configText("Work", "Home"), "select_graph", `{}`, surface.CodeInvalidParams},
		"guidelines not to be had": {configText("Work", "Home"), "get_graph_guidelines", `{"graph":"nope"}`, "GRAPH_NOT_CONFIGURED"},
	} {
		t.Run(name, func(t *testing.T) {
			newSmallWorld(t, tc.config).connect().call(tc.tool, tc.arguments).fails(tc.code)
		})
	}
}

func TestAToolThatIsSwitchedOffNamesTheCommandOfItsProfile(t *testing.T) {
	c := newSmallWorld(t, configText("Work"), func(o *Options) { o.Toolsets = []string{"core"} }).connect()
	reply := c.call("get_graph_guidelines", `{}`).fails(CodeToolNotOffered)
	if hint := fmt.Sprint(reply.failure["hint"]); !strings.HasSuffix(hint, "roam-mcp serve --profile small --toolsets core,graphs") {
		t.Errorf("the hint is %q", hint)
	}
}

func TestAVerbatimSchemaHasTheOrderOfItsDocument(t *testing.T) {
	c := newSmallWorld(t, configText("Work")).connect()
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	if n := len(list.Tools); n != 8 || list.Tools[slices.IndexFunc(list.Tools, func(each *mcp.Tool) bool { return each.Name == "get_graph_guidelines" })].InputSchema == nil {
		t.Errorf("%d tools", n)
	}
	p := smallProfile()
	tool, _ := p.Find("answer")
	got := string(rawjson.Encode(p.Definition(tool, false).InputSchema))
	want := `{"type":"object","properties":{"json":{"type":"string","description":"What is answered."},"note":{"type":"string","description":"What is said beside it."},` +
		`"total":{"type":"integer","description":"Elements in all."},"offset":{"type":"integer","minimum":0,"default":0,"description":"Elements to skip."},` +
		`"limit":{"type":"integer","default":10,"description":"Elements at most."},` +
		`"tags":{"type":"array","items":{"type":"string"},"minItems":1,"default":[],"description":"Tags."},` +
		`"metric":{"type":"string","enum":["in","out"],"default":"in","description":"Which."},` +
		`"threshold":{"type":"number","minimum":0,"description":"Least score."}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := string(rawjson.Encode(p.Definition(tool, true).InputSchema)); !strings.Contains(got, `"graph":{"type":"string"}}`) {
		t.Errorf("with several graphs: %s", got)
	}
}
