package skills

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/sandbox"
	"roam-mcp/internal/sandbox/actions"
	"roam-mcp/internal/testutil/faultproxy"
	"roam-mcp/internal/testutil/journaltest"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// setting is what surrounds a call.
type setting string

const (
	usual    setting = ""
	two      setting = "two graphs"
	readOnly setting = "a server that only reads"
	adding   setting = "a token that permits reading and adding"
	closed   setting = "Roam is closed"
	slow     setting = "Roam takes its time"
	more     setting = "all toolsets, and a Roam with all that they need"
	kept     setting = "all toolsets, and a journal"
)

// example is a call and what is shown of it.
type example struct {
	in        setting
	given     []step // calls before it
	arguments string
	keeps     []string // members of the answer that are shown; nil: all
}

// step is a call whose answer is shown nowhere.
type step struct {
	tool, arguments string
	// remember finds in the answer what $1 stands for in later arguments; empty: nothing.
	remember string
}

// entry is what a skill says of a tool besides what the registry says.
type entry struct {
	answers string // the shape of its answers, see shapes; empty: they are no JSON
	brief   bool   // a line is enough
	shown   example
	others  []example // whose answers have the shape as well
	refuses []refusal
}

// refusal is a call that fails with a code.
type refusal struct {
	code string
	example
}

// worlds makes the worlds of one profile. Calls that only read share one.
type worlds struct {
	t       *testing.T
	profile string
	suites  map[setting]*profiletest.Suite
	shared  map[setting]*client
}

func newWorlds(t *testing.T, profile string) *worlds {
	return &worlds{t: t, profile: profile, suites: map[setting]*profiletest.Suite{}, shared: map[setting]*client{}}
}

// client is an agent in a world.
type client struct {
	*profiletest.Client
	world  *profiletest.World
	steady *profiletest.Steady
}

func (ws *worlds) options(in setting) profiletest.Options {
	options := profiletest.Options{Profile: ws.profile, Second: in == two, Server: func(o *mcpserve.Options) {
		o.ReadOnly = in == readOnly
		if in == more || in == kept {
			o.Toolsets = []string{"all"}
		}
		if ws.profile == "wiki" || in == kept {
			keepVersions(ws.t)(o)
		}
	}}
	if in == adding {
		options.Level = localapi.ReadAppend
	}
	if in == more {
		options.Sandbox = func(o *sandbox.Options) {
			o.SemanticSearch = true
			o.Extensions = []actions.Extension{{ID: "cards", Name: "Cards", Tools: []actions.ExtensionTool{{
				Name: "make", Description: "Makes a card.",
				Run: func(context.Context, map[string]any) (any, error) { return map[string]any{"card": 7}, nil },
			}}}}
		}
	}
	return options
}

// keepVersions gives a server a journal of its own, which the versions of notes are in.
func keepVersions(t *testing.T) func(*mcpserve.Options) {
	return func(o *mcpserve.Options) {
		o.Journal = history.New(history.Options{Folder: journaltest.Folder(t, filepath.Join(t.TempDir(), "history")), Kind: history.KindStdio, Program: "test", Now: o.Now})
	}
}

func (ws *worlds) enter(in setting, reads bool) *client {
	ws.t.Helper()
	if c := ws.shared[in]; c != nil && reads {
		return c
	}
	if ws.suites[in] == nil {
		ws.suites[in] = profiletest.NewSuite(ws.t, ws.options(in))
	}
	w := ws.suites[in].World(ws.t)
	c := &client{w.Connect(profiletest.Ways()[0]), w, w.Steady()}
	if in == closed {
		w.Fault(func(faultproxy.Request) faultproxy.Fault { return faultproxy.Fault{Kind: faultproxy.ResetBefore} })
	}
	if in == slow {
		w.Fault(func(faultproxy.Request) faultproxy.Fault { return faultproxy.Fault{Delay: 300 * time.Millisecond} })
	}
	if reads {
		ws.shared[in] = c
	}
	return c
}

// run makes the calls of an example, and returns the arguments of the last one and its
// answer in a form that is the same in every run.
func (ws *worlds) run(tool string, e example, reads bool) (arguments string, answer profiletest.Result) {
	ws.t.Helper()
	c := ws.enter(e.in, reads && len(e.given) == 0)
	remembered := ""
	fill := func(arguments string) string { return strings.ReplaceAll(arguments, "$1", remembered) }
	for _, each := range e.given {
		answer := c.Call(each.tool, fill(each.arguments))
		if answer.RPC != nil || answer.IsError {
			ws.t.Fatalf("%s %s: %s", each.tool, each.arguments, answer)
		}
		c.steady.Text(answer.Text())
		if each.remember != "" {
			found := regexp.MustCompile(each.remember).FindStringSubmatch(answer.Text())
			if len(found) != 2 {
				ws.t.Fatalf("%s is not in %s", each.remember, answer)
			}
			remembered = found[1]
		}
	}
	answer = c.Call(tool, fill(e.arguments))
	for i, text := range answer.Texts {
		answer.Texts[i] = c.steady.Text(text)
	}
	return c.steady.Text(fill(e.arguments)), answer
}

// codeOf returns the code of a failure, empty where the answer is none.
func codeOf(r profiletest.Result) string {
	switch {
	case r.RPC != nil:
		code, _ := rawjson.Parse(r.RPC.Data).Text("code")
		return code
	case !r.IsError:
		return ""
	}
	if failed := rawjson.Parse([]byte(r.Text())).Get("error"); failed != nil {
		code, _ := rawjson.Parse(failed).Text("code")
		return code
	}
	return strings.SplitN(r.Text(), "\n", 2)[0]
}
