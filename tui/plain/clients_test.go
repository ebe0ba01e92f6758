package plain

import (
	"strings"
	"testing"

	"roam-mcp/install"
	"roam-mcp/localapi"
	"roam-mcp/problem"
)

func TestClients(t *testing.T) {
	const added = "claude mcp add --scope user roam"
	proven := []string{"Started /usr/local/bin/roam-mcp.", "Get_graph_guidelines on Work, 38 ms.", "Restart Claude Code. Ask Claude: what is in my graph?"}
	for name, tc := range map[string]struct {
		lines []string
		want  []string
	}{
		"are listed, and left alone":     {[]string{"clients", ""}, []string{"1. Claude Code: here, not configured", "They get profile roam, every enabled graph, read and write."}},
		"are written and proven":         {[]string{"clients", "claude-code", "write", "yes"}, append(proven, "This is run:", added+" -- /usr/local/bin/roam-mcp serve\n", "Written.")},
		"are written when that is meant": {[]string{"clients", "1", "write", ""}, []string{"Do it (default: 2, no)"}},
		"are told what to paste":         {[]string{"clients", "1", "text"}, []string{added + " -- /usr/local/bin/roam-mcp serve\n"}},
		"are proven, and taken out":      {[]string{"clients", "1", "write", "y", "clients", "1", "prove", "clients", "1", "take out", "yes"}, append(proven, "configured, not proven yet", "roam starts /usr/local/bin/roam-mcp serve.", "claude mcp remove roam", "Taken out of Claude Code.")},
		"stay when they are right":       {[]string{"clients", "1", "write", "y", "clients", "1", "write"}, append(proven, "It is configured like this already.")},
		"are given a profile, one graph": {[]string{"profile", "notes", "clients", "1", "text"}, []string{"2. notes: notes with labels", "They get profile notes, the graph Work alone", added + "-notes -- /usr/local/bin/roam-mcp serve --profile notes --graph Work\n"}},
		"of several graphs ask which":    {[]string{"enable", "1", "profile", "notes", "Reading", "clients", "1", "text"}, []string{"1. Work", "3. all: every enabled graph", "--profile notes --graph Reading\n"}},
		"can have all of them":           {[]string{"enable", "1", "profile", "notes", "all", "clients", "1", "text"}, []string{"profile notes, every enabled graph", "--profile notes\n"}},
		"go back to what is usual":       {[]string{"profile", "notes", "profile", "roam", "clients", "1", "text"}, []string{added + " -- /usr/local/bin/roam-mcp serve\n"}},
	} {
		t.Run(name, func(t *testing.T) { newWorld(t).says(tc.lines, tc.want...) })
	}
	t.Run("are not written unless that is meant", func(t *testing.T) {
		w := newWorld(t)
		if printed := w.says([]string{"clients", "1", "write", ""}); strings.Contains(printed, "Written") || w.ports.Clients.(*fakeClients).configured {
			t.Errorf("it says:\n%s", printed)
		}
	})
	t.Run("name the step at which the proof fails", func(t *testing.T) {
		w := newWorld(t)
		w.ports.Clients.(*fakeClients).failure = &problem.Error{Code: "PROGRAM_GONE", Message: "The client's file starts /opt/roam-mcp, which is not there."}
		w.says([]string{"clients", "1", "write", "y"}, "Failed: start the program.", "which is not there.")
	})
	revoked := &problem.Error{Code: localapi.CodeTokenNotFound, Message: "Roam does not know this token.", Hint: problem.Say("%s asks Roam for a new token.", problem.Run("reauth", "Old"))}
	closed := &problem.Error{Code: localapi.CodeConnectionFailed, Message: "Nothing answers.", Hint: problem.Say("Start Roam Desktop.")}
	call := func(graph string, err error) install.ProofStep {
		return install.ProofStep{ID: install.StepCall, Graph: graph, Failed: err != nil, Err: err, Found: "look"}
	}
	for name, tc := range map[string]struct {
		steps   []install.ProofStep
		failure error
		want    []string
		once    string
	}{
		"are proven where one graph answers":       {[]install.ProofStep{call("Work", nil), call("Old", revoked)}, nil, []string{"Failed: call Old.", "Proven on Work; Old does not answer: its token is revoked. This asks Roam for a new token: roam-mcp reauth Old", "Restart Claude Code."}, "reauth"},
		"are told once what all graphs lack":       {[]install.ProofStep{call("Work", closed), call("Old", closed)}, closed, []string{"Failed: call Work.", "Work and Old do not answer: Nothing answers. Start Roam Desktop."}, "Nothing answers"},
		"are told what each graph lacks":           {[]install.ProofStep{call("Work", closed), call("Old", revoked)}, closed, []string{"Work does not answer: Nothing answers. Start Roam Desktop.", "Old does not answer: its token is revoked."}, "reauth"},
		"are told of a server that serves nothing": {[]install.ProofStep{{ID: install.StepCall, Failed: true, Err: closed}}, closed, []string{"Failed: call a graph.", "Nothing answers."}, "Nothing answers"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			fake := w.ports.Clients.(*fakeClients)
			fake.result, fake.failure = install.Proof{Steps: tc.steps}, tc.failure
			printed := strings.Join(strings.Fields(w.says([]string{"clients", "1", "write", "y"})), " ")
			for _, text := range tc.want {
				if !strings.Contains(printed, text) {
					t.Errorf("it does not say %q:\n%s", text, printed)
				}
			}
			if strings.Count(printed, tc.once) != 1 {
				t.Errorf("%q is not said once:\n%s", tc.once, printed)
			}
			if tc.failure != nil && strings.Contains(printed, "Restart Claude Code.") {
				t.Errorf("it goes on:\n%s", printed)
			}
		})
	}
	t.Run("are not told of profiles where there is one", func(t *testing.T) {
		w := newWorld(t)
		w.ports.Profiles = w.ports.Profiles[:1]
		if printed := w.says([]string{"help"}); strings.Contains(printed, "choose the tools") {
			t.Errorf("it says:\n%s", printed)
		}
	})
}
