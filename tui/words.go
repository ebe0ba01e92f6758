package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/configstore"
	"roam-mcp/handoff"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// Words are the program's sentences without its screens: what is known of the
// graphs, and what there is to say about it. Package plain asks and tells with
// them, so that both say the same. They are not safe for concurrent use.
type Words struct{ root *root }

// NewWords makes the words of a program with these ports.
func NewWords(ctx context.Context, ports Ports, options Options) *Words {
	return &Words{newRoot(ctx, ports, options.withDefaults())}
}

// Look reads the configuration, looks at Roam, and has it asked about the tokens
// that were not asked about lately.
func (w *Words) Look(ctx context.Context) {
	e := w.root.env
	e.now = e.ports.Now()
	w.root.setConfig(e.ports.Store.Load(ctx))
	w.root.work.hiddenChecksLeft = len(e.config.Entries) // here nothing is in sight
	for cmd := w.root.poll(); cmd != nil && ctx.Err() == nil; {
		cmd = w.root.handleBackground(cmd())
	}
}

// Config is the configuration as Look has found it.
func (w *Words) Config() (configstore.Config, error) {
	return w.root.env.config, w.root.env.configErr
}

// Roam says where Roam is, or what is the matter with it and what to do.
func (w *Words) Roam() string {
	e := w.root.env
	if e.roam.err == nil {
		return e.roamName() + " answers on " + e.roam.address + "."
	}
	return w.Error(e.roam.err)
}

// Problems are the sentences on what is the matter with the configuration.
func (w *Words) Problems() []string { return w.root.env.problems() }

// Error gives the sentences of an error: what happened and what to do.
func (w *Words) Error(err error) string {
	what, todo := w.root.env.explain(err)
	return strings.TrimSpace(what + " " + todo)
}

// Line makes a text fit to be printed as a line: nothing in it is a command to
// the terminal, and typographic signs are replaced where it lacks them.
func (w *Words) Line(text string) string { return w.root.env.Glyphs.Transliterate(kit.Sanitize(text)) }

// Wrap breaks prose into lines of that many cells, at spaces.
func (w *Words) Wrap(text string, width int) []string { return kit.Wrap(w.Line(text), width) }

// ConfigPath is the path of the configuration, with ~ for the home folder.
func (w *Words) ConfigPath() string { return w.root.env.configPath() }

// Short writes a path with ~ for the home folder.
func (w *Words) Short(path string) string { return w.root.env.shortPath(path) }

// Listed is one graph of the list.
type Listed struct {
	Graph      localapi.Graph
	Configured bool
	Entry      configstore.Entry // where it is configured
	// State is the word for how the graph stands: "connected", "token revoked".
	State string
	// Facts are the sentences on the access and the token of an enabled one.
	Facts []string
}

// Graphs lists the configured graphs and what else Roam has.
func (w *Words) Graphs() []Listed {
	e := w.root.env
	var all []Listed
	for _, r := range e.rows() {
		listed := Listed{Graph: r.graph, Configured: r.configured, Entry: r.entry, State: e.stateOf(r).Word}
		if r.configured && !r.entry.Disabled { // what a disabled one is told to do names a key of the screen
			listed.Facts = e.summary(r)
		}
		all = append(all, listed)
	}
	return all
}

// Refusal says why a graph can't be connected; empty where it can.
func (w *Words) Refusal(graph localapi.Graph) string {
	action, _ := w.root.env.openConnectForm(graph, false)
	if refused, ok := action.(notify); ok {
		return refused.notice.text
	}
	return ""
}

// Toggled says that a graph is disabled now, or enabled.
func Toggled(nickname string, disabled bool) string {
	if disabled {
		return nickname + " is disabled: agents can't reach it until you enable it."
	}
	return nickname + " is enabled: servers that run offer it at once."
}

// Removal is the question before a graph is removed.
func (w *Words) Removal(entry configstore.Entry) []string {
	question := newRemovalQuestion(w.root.env, entry).(*questionScreen).question
	return strings.Split(question.text, "\n")
}

// Proof says what a real call has shown.
func (w *Words) Proof(nickname string, proof Proof, err error) string {
	p := proofRun{stage: proofDone, proof: proof, err: err}
	said := strings.Join(p.view(w.root.env, nickname, maxSentence), " ")
	return w.withoutSign(said)
}

// maxSentence is wider than any sentence, so that it is not wrapped.
const maxSentence = 1 << 16

// withoutSign drops the styles and the sign of state before a sentence.
func (w *Words) withoutSign(s string) string {
	g := w.root.env.Glyphs
	s = strings.TrimSpace(ansi.Strip(s))
	for _, sign := range []string{g.On, g.Failed} {
		s = strings.TrimSpace(strings.TrimPrefix(s, sign+" "))
	}
	return problem.Sentence(s)
}

// Offer says what an import would bring, and how many graphs of it are new.
func (w *Words) Offer(entries []configstore.Entry, problems []configstore.Problem, err error) (lines []string, fresh int) {
	s := &importing{env: w.root.env, entries: entries, problems: problems, err: err, stage: importOffers}
	return w.linesOf(s), s.fresh()
}

// Imported says what an import has brought.
func (w *Words) Imported(report configstore.ImportReport) []string {
	return w.linesOf(&importing{env: w.root.env, report: &report, stage: importDone})
}

func (w *Words) linesOf(s *importing) []string {
	var lines []string
	s.say(func(_, text string) { lines = append(lines, text) })
	return lines
}

// AccessRequest says what somebody asks for at the sandbox's desk.
func (w *Words) AccessRequest(request AccessRequest) string {
	return request.words(w.root.env.Glyphs)
}

func (r AccessRequest) words(g kit.Glyphs) string {
	return fmt.Sprintf("“%s” asks for %s access to %s (%s).",
		g.Cut(kit.Sanitize(r.Description), 60), r.AccessLevel.Words(), kit.Sanitize(r.Graph.Name), r.Graph.Type)
}

// Call says of a call that has ended when it was, whose, and what came of it.
func (w *Words) Call(call Call) string {
	e := w.root.env
	s := &serveScreen{env: e}
	served := servedCall{start: call, end: call}
	from := call.At.Add(-call.Took).Format(time.TimeOnly)
	return fmt.Sprintf("%s: %s called %s, graph %s, %s: %s", from, orNone(call.Client, e), call.Tool, orNone(call.Graph, e),
		kit.ShortDuration(call.Took), w.withoutSign(s.result(served)))
}

// ServiceCommand tells a client on this computer of a server that runs.
func (w *Words) ServiceCommand(service Service) handoff.Snippet {
	return w.root.env.httpSnippets(service)[0]
}

// Texts beside what is asked for.
const (
	AccessAbout  = "What agents may do in this graph."
	ClientsAbout = "An MCP client starts roam-mcp by itself, and it serves every enabled graph. Tell the client once:"
)

// ByHandAbout says where a token comes from that is entered by hand.
func (w *Words) ByHandAbout() string { return w.root.env.tokenFormAbout() }

// ByNameAbout says which graphs are asked for by name.
func (w *Words) ByNameAbout() string { return w.root.env.byNameAbout() }

// ListKnown reports whether Roam has told which graphs there are.
func (w *Words) ListKnown() bool { return w.root.env.graphListKnown() }

// Question is what a form asks for, what it says about that, and what is wrong
// with an answer.
type Question struct {
	Title, About string
	Check        func(answer string) error
}

// questionOf takes a field of a form out of it: its check looks at value.
func questionOf(f kit.TextField, value *string) Question {
	return Question{f.Title, f.Description, func(answer string) error {
		*value = answer
		if problem := f.Check(); problem != "" {
			return errors.New(problem)
		}
		return nil
	}}
}

// Nickname asks for the nickname of a graph.
func (w *Words) Nickname(graph localapi.Graph) Question {
	value := ""
	return questionOf(nicknameField(w.root.env, graph, &value), &value)
}

// Description asks for what Roam's dialog is given to show.
func (w *Words) Description() Question {
	value := ""
	q := questionOf(descriptionField(&value), &value)
	filled := q.Check
	q.Check = func(answer string) error {
		if utf8.RuneCountInString(answer) > maxDescription {
			return fmt.Errorf("that is longer than %d characters", maxDescription)
		}
		return filled(answer)
	}
	return q
}

// GraphName asks for the name of a graph that Roam does not list.
func (w *Words) GraphName() Question {
	value := ""
	return questionOf(nameField(&value), &value)
}
