package skills

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// session is the work of an agent in one profile, from the prompts of the document that
// the profile stands for.
type session struct {
	options profiletest.Options
	turns   []turn
}

// turn is what a person wants, and what the agent does about it.
type turn struct {
	wants string
	calls []call
}

// call is one of the agent's. $name in its arguments is what was remembered.
type call struct {
	tool, arguments string
	remember        map[string]string          // name: pattern whose first group is it
	fails           bool                       // the answer is an error
	before          func(w *profiletest.World) // what somebody else does first; nil: nothing
}

func sessions(t *testing.T) map[string]session {
	return map[string]session{"roam": roamSession(), "graph": graphSession(), "notes": notesSession(), "outline": outlineSession(), "wiki": wikiSession(t)}
}

// A whole session in each profile reads as its transcript does.
func TestSessions(t *testing.T) {
	var names []string
	for name := range sessions(t) {
		names = append(names, name+".golden")
	}
	golden.Only(t, "testdata/sessions", ".golden", names)
	for _, p := range mcpserve.Profiles() {
		t.Run(p.Name, func(t *testing.T) {
			told, found := sessions(t)[p.Name]
			if !found {
				t.Fatalf("internal/skills has no session for the profile %s: write one beside the others", p.Name)
			}
			told.options.Profile = p.Name
			golden.File(t, "testdata/sessions/"+p.Name+".golden", told.play(t, tables()[p.Name]))
		})
	}
}

// play makes the calls, and returns the transcript. Answers have the shapes that the skill
// says.
func (s session) play(t *testing.T, skill table) string {
	t.Helper()
	w := profiletest.NewSuite(t, s.options).World(t)
	c := w.Connect(profiletest.Ways()[0])
	steady := w.Steady()
	remembered := map[string]string{}
	var transcript strings.Builder
	for _, turn := range s.turns {
		fmt.Fprintf(&transcript, "== %s\n", turn.wants)
		for _, each := range turn.calls {
			if each.before != nil {
				each.before(w)
			}
			arguments := fill(each.arguments, remembered)
			answer := c.Call(each.tool, arguments)
			if failed := answer.IsError || answer.RPC != nil; failed != each.fails {
				t.Fatalf("%s %s: %s", each.tool, arguments, answer)
			}
			if form := skill.tools[each.tool].answers; form != "" && !each.fails {
				if err := skill.shapes.fits(form, answer.Text()); err != nil {
					t.Errorf("%s %s answers otherwise than its shape says: %v", each.tool, arguments, err)
				}
			}
			fmt.Fprintf(&transcript, "\n> %s %s\n%s", each.tool, steady.Text(arguments), steady.Text(shownAnswer(answer)))
			for name, pattern := range each.remember {
				found := regexp.MustCompile(pattern).FindStringSubmatch(answer.String())
				if len(found) != 2 {
					t.Fatalf("%s: %s is not in %s", each.tool, pattern, answer)
				}
				remembered[name] = found[1]
			}
		}
		transcript.WriteString("\n")
	}
	return transcript.String()
}

// fill puts what was remembered in the place of its names.
func fill(arguments string, remembered map[string]string) string {
	for _, name := range slices.SortedFunc(maps.Keys(remembered), func(a, b string) int { return len(b) - len(a) }) {
		arguments = strings.ReplaceAll(arguments, "$"+name, remembered[name])
	}
	return arguments
}

// shownAnswer is an answer as a model sees it.
func shownAnswer(r profiletest.Result) string {
	if r.RPC != nil {
		return fmt.Sprintf("JSON-RPC error %d: %s\n%s\n", r.RPC.Code, r.RPC.Message, r.RPC.Data)
	}
	text := strings.Join(r.Texts, "\n--\n") + "\n"
	if r.IsError {
		return "error: " + text
	}
	return text
}
