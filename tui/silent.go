package tui

import (
	"slices"
	"strings"

	"roam-mcp/internal/clients/install"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// Silence is why graphs do not answer.
type Silence struct {
	Graphs []string          // their nicknames
	Why    string            // a sentence; "" where it was said already
	Todo   string            // what mends it, for a person who has a shell; may be empty
	Step   install.ProofStep // the first of their calls
}

// String says which graphs do not answer, and why.
func (s Silence) String() string {
	if s.Why == "" {
		return doNotAnswer(s.Graphs) + "."
	}
	return doNotAnswer(s.Graphs) + ": " + s.Why
}

// Advice is String with what mends it.
func (s Silence) Advice() string { return strings.TrimSpace(s.String() + " " + s.Todo) }

func doNotAnswer(graphs []string) string {
	if len(graphs) == 1 {
		return graphs[0] + " does not answer"
	}
	return problem.List(graphs) + " do not answer"
}

// Silences returns why the calls of proofs on graphs failed, each cause once.
func (w Wording) Silences(silent []install.ProofStep) []Silence {
	var all []Silence
	for _, step := range silent {
		why, todo := w.Explain(step.Err)
		if problem.CodeOf(step.Err) == localapi.CodeTokenNotFound {
			why = "its token is revoked."
		}
		i := slices.IndexFunc(all, func(s Silence) bool { return s.Why == why && s.Todo == todo })
		if i < 0 {
			i, all = len(all), append(all, Silence{Why: why, Todo: todo, Step: step})
		}
		if graph := kit.Sanitize(step.Graph); !slices.Contains(all[i].Graphs, graph) {
			all[i].Graphs = append(all[i].Graphs, graph)
		}
	}
	return all
}

// Silent says which graphs did not answer proofs that succeeded, a line for each cause
// with what mends it: "Proven on Work; Old does not answer: its token is revoked. This asks
// Roam for a new token:", and the command. There is none where all answered.
func (w Wording) Silent(proven ...install.Proof) []string {
	var answered []string
	var silent []install.ProofStep
	for _, result := range proven {
		for _, graph := range result.Answered() {
			if graph = kit.Sanitize(graph); !slices.Contains(answered, graph) {
				answered = append(answered, graph)
			}
		}
		silent = append(silent, result.Silent()...)
	}
	var lines []string
	for _, silence := range w.Silences(silent) {
		lines = append(lines, silence.Advice())
	}
	if len(lines) > 0 {
		lines[0] = "Proven on " + problem.List(answered) + "; " + lines[0]
	}
	return lines
}
