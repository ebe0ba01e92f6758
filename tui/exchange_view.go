package tui

import (
	"fmt"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// status is how a state of an exchange is shown: a sign with a headline, the progress
// on the right, and sentences below.
type status struct {
	glyph         string
	style         lipgloss.Style
	headline      string
	progress      string
	shortProgress string // of progress, where there is no room for it
	text          []string
}

func (s *exchangeScreen) view(width, height int) []string {
	inner := min(width-4, kit.ProseWidth)
	body := s.body(inner)
	facts := s.facts(inner)
	if len(facts)+1+len(body) > height { // what happens matters more than what was asked for
		facts = facts[:1]
	}
	if len(facts)+1+len(body) > height {
		return kit.Indent(body, 2)
	}
	return kit.Indent(append(append(facts, ""), body...), 2)
}

// facts returns what is asked for.
func (s *exchangeScreen) facts(width int) []string {
	e := s.env
	var lines []string
	add := func(label, value string) {
		lines = append(lines, e.Labelled(e.Theme.Muted, label, 16, kit.WrapStyled(e.Theme.Text, value, width-16))...)
	}
	request := s.request
	if s.machine.State != 0 {
		request = s.machine.Request
	}
	add("Nickname", s.target.Nickname)
	if request.Token.IsZero() {
		add("Asked for", request.AccessLevel.Words()+": "+request.AccessLevel.Explain())
		add("Shown in Roam", "“"+request.Description+"”")
	} else {
		add("Token", "entered by hand, "+request.Token.Hint())
	}
	return lines
}

// body returns how the exchange stands.
func (s *exchangeScreen) body(width int) []string {
	e, st := s.env, s.status()
	headline := st.style.Render(st.glyph+" ") + e.Theme.Strong.Render(st.headline)
	progress := st.progress
	if ansi.StringWidth(headline)+2+ansi.StringWidth(progress) > width {
		progress = st.shortProgress
	}
	lines := []string{e.Glyphs.Between(headline, e.Theme.Muted.Render(progress), width)}
	for _, paragraph := range st.text {
		if paragraph == "" || paragraph == st.headline+"." {
			continue
		}
		lines = append(lines, kit.Indent(kit.WrapStyled(e.Theme.Text, paragraph, width-2), 2)...)
	}
	if s.machine.State == exchange.Failed {
		lines = append(lines, "")
		for _, line := range strings.Split(s.details(), "\n") {
			lines = append(lines, kit.Indent(kit.WrapStyled(e.Theme.Faint, line, width-2), 2)...)
		}
	}
	return lines
}

// status returns how the present state is shown.
func (s *exchangeScreen) status() status {
	e := s.env
	t, m := e.Theme, s.machine
	what, todo := "", ""
	if m.Err != nil {
		what, todo = s.env.explain(m.Err)
	}
	ongoing := status{glyph: e.spinner(), style: t.Accent}
	ended := status{glyph: e.Glyphs.Failed, style: t.Danger}
	if s.storeErr != nil {
		what, todo = s.env.explain(s.storeErr)
		ended.headline, ended.text = "The token could not be saved, so nobody was asked", []string{what, todo}
		return ended
	}
	switch m.State {
	case 0, exchange.Locating:
		ongoing.headline, ongoing.text = "Looking for "+e.roamName(), []string{"Checking that the token can be saved, and that Roam has the graph."}
		return ongoing
	case exchange.Unreachable, exchange.Disabled:
		return s.unreachableStatus(ongoing, what, todo)
	case exchange.Waiting:
		ongoing.headline = "Waiting for you in Roam"
		ongoing.progress, ongoing.shortProgress = s.countdown()
		ongoing.text = []string{"Roam has opened the graph and asks whether to allow this.", "Choose “Allow and configure” there."}
		if e.options.Sandbox {
			ongoing.headline = "Waiting for you in Roam (sandbox)"
			ongoing.text = []string{"Roam would open the graph now and ask whether to allow this.", "The sandbox stands in for it, and asks in the terminal in which it runs."}
		}
		if e.ports.Desk != nil {
			ongoing.text[1] = "The panel “Roam (sandbox)” stands in for its dialog."
		}
		return ongoing
	case exchange.Busy:
		ongoing.headline = "Roam is busy with another request"
		ongoing.progress, ongoing.shortProgress = s.soFar(s.nextTry()), s.nextTry()
		ongoing.text = []string{"A request for this graph is open there: answer or close its dialog. This one goes out by itself as soon as Roam takes it."}
		return ongoing
	case exchange.Verifying:
		ongoing.headline, ongoing.text = "Checking the token", []string{"Roam is asked whether it knows this token for this graph."}
		return ongoing
	case exchange.Granted:
		return s.grantedStatus()
	case exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
	}
	return s.endedStatus(ended, what, todo)
}

// unreachableStatus shows that Roam can't be reached or that its Local API is off.
func (s *exchangeScreen) unreachableStatus(st status, what, todo string) status {
	st.style = s.env.Theme.Warning
	st.headline = s.env.roamName() + " can't be reached"
	if s.machine.State == exchange.Disabled {
		st.headline = "Roam's Local API is disabled"
	}
	st.text = []string{what, todo}
	if s.machine.Ended() {
		return st
	}
	st.progress, st.shortProgress = s.soFar(s.nextTry()), s.nextTry()
	st.text = append(st.text, "This goes on by itself when Roam answers.")
	return st
}

// endedStatus shows an exchange that has ended without a token.
func (s *exchangeScreen) endedStatus(st status, what, todo string) status {
	switch s.machine.State {
	case exchange.Rejected:
		st.headline = "Rejected in Roam"
		st.text = []string{"Deny was chosen for this request. " + s.unchangedSentence()}
	case exchange.Blocked:
		st.headline = "Blocked in Roam"
		st.text = []string{
			"“Never allow” was chosen for this graph, so Roam refuses without asking. " + s.unchangedSentence(),
			s.unblockAdvice(),
		}
	case exchange.TimedOut:
		st.headline = "No answer in time"
		if s.machine.Err != nil && s.machine.Err.Code == localapi.CodeRequestInProgress {
			st.headline = "The other request stayed open in Roam"
			what, todo = "This one could not be made.", "Answer or close its dialog in Roam, then press a here."
		}
		st.text = []string{strings.TrimSpace(what + " " + s.unchangedSentence()), todo}
	case exchange.Cancelled:
		st.glyph, st.style = s.env.Glyphs.None, s.env.Theme.Muted
		st.headline = "Cancelled"
		st.text = []string{"The request was dropped. " + s.unchangedSentence()}
		if !s.machine.Request.Token.IsZero() {
			st.text = []string{"The token was not checked. " + s.unchangedSentence()}
		}
		if s.machine.Err != nil {
			st.headline, st.text = "Cancelled by Roam", []string{what + " " + s.unchangedSentence(), todo}
		}
	case exchange.Locating, exchange.Unreachable, exchange.Disabled, exchange.Waiting, exchange.Busy, exchange.Verifying, exchange.Granted:
		// these have not ended
	case exchange.Failed:
		st.headline = "This did not work"
		if !s.machine.Request.Token.IsZero() {
			st.headline = "The token does not work"
		}
		st.text = []string{what, todo, s.unchangedSentence()}
	}
	return st
}

// unblockAdvice says how a blocked graph can be asked for again.
func (s *exchangeScreen) unblockAdvice() string {
	if s.env.options.Sandbox {
		return "To unblock it, type in the sandbox's terminal: unblock " + s.target.Name + ". Where the sandbox runs in this program, quit it and start one: " + s.env.command(problem.Run("sandbox").Anywhere())
	}
	return "To unblock it, open the graph in Roam: Settings > Graph > Local API Tokens. Then press a here."
}

// unchangedSentence says that an exchange without a token has changed nothing.
func (s *exchangeScreen) unchangedSentence() string {
	if s.target.Token.IsZero() {
		return "Nothing was saved."
	}
	return "The token you had is kept."
}

// grantedStatus says what was granted, whether it is less than asked, and where it
// was saved.
func (s *exchangeScreen) grantedStatus() status {
	e, m := s.env, s.machine
	level := m.Grant.AccessLevel
	st := status{glyph: e.Glyphs.On, style: e.Theme.Success, headline: "Connected"}
	st.text = []string{"Agents can " + level.Explain() + "."}
	if m.Lowered() {
		st.glyph, st.style, st.headline = e.Glyphs.Warning, e.Theme.Warning, "Connected with less than asked"
		st.text = []string{fmt.Sprintf("You asked for %s access, Roam granted %s. Agents can %s.", m.Request.AccessLevel.Words(), level.Words(), level.Explain())}
		if !m.Request.Token.IsZero() { // entered by hand, so nobody was asked
			st.text = []string{fmt.Sprintf("The token gives %s access. Agents can %s.", level.Words(), level.Explain())}
		}
	}
	return s.save.status(e, st)
}

// countdown returns how long the request has been open and how long it stays open,
// and the latter alone.
func (s *exchangeScreen) countdown() (full, brief string) {
	// Elapsed seconds are rounded down and remaining ones up, so that their sum stays
	// the same.
	elapsed := kit.Clock(s.env.now.Sub(s.machine.Since).Truncate(time.Second)) + " so far"
	if s.machine.Deadline.IsZero() {
		return elapsed, elapsed
	}
	left := kit.Clock((s.machine.Left(s.env.now) + time.Second - 1).Truncate(time.Second)) + " left"
	return elapsed + ", " + left, left
}

// soFar returns how long the state has lasted, and what comes next.
func (s *exchangeScreen) soFar(next string) string {
	elapsed := s.env.now.Sub(s.machine.Since)
	if elapsed < time.Second {
		return next
	}
	return kit.Clock(elapsed.Truncate(time.Second)) + " so far, " + next
}

func (s *exchangeScreen) nextTry() string {
	if s.machine.NextTry.IsZero() {
		return "looking" + s.env.Glyphs.Ellipsis
	}
	wait := s.machine.NextTry.Sub(s.env.now)
	if wait < time.Second {
		return "trying now"
	}
	return fmt.Sprintf("next try in %d s", int((wait+time.Second-1)/time.Second))
}

// details returns what a helper would ask for. It holds no token.
func (s *exchangeScreen) details() string {
	lines := []string{"roam-mcp " + s.env.options.Version + ", state: " + s.machine.State.String()}
	err := s.machine.Err
	if err == nil {
		return lines[0]
	}
	code := "code " + string(err.Code)
	call := problem.Call{}
	if err.Call != nil {
		call = *err.Call
	}
	if call.Status != 0 {
		code += fmt.Sprintf(", HTTP status %d", call.Status)
	}
	if call.APIVersion != "" {
		code += ", API " + call.APIVersion
	}
	lines = append(lines, kit.Sanitize(code))
	if call.Action != "" {
		lines = append(lines, kit.Sanitize("call "+call.Action))
	}
	if call.Text != "" {
		lines = append(lines, kit.Sanitize("Roam's text: "+call.Text))
	}
	return strings.Join(lines, "\n")
}
