package tui

import (
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"

	"roam-mcp/exchange"
	"roam-mcp/tui/kit"
)

func (s *exchangeScreen) view(width, height int) []string {
	inner := min(width-4, kit.ProseWidth)
	body := s.body(inner)
	facts := s.facts(inner)
	if len(facts)+1+len(body) > height { // what happens matters more than what was asked for
		facts = facts[:1]
	}
	if len(facts)+1+len(body) > height {
		return kit.Indent(body, 1)
	}
	return kit.Indent(append(append(facts, ""), body...), 1)
}

// facts returns what is asked for.
func (s *exchangeScreen) facts(width int) []string {
	e := s.env
	var lines []string
	add := func(label, value string) {
		lines = append(lines, e.Labelled(e.Theme.Muted, label, 16, kit.WrapStyled(e.Theme.Text, value, width-16))...)
	}
	request := s.authorization.Request
	if s.machine.State != 0 {
		request = s.machine.Request
	}
	add("Nickname", s.authorization.Entry.Nickname)
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
	st := s.status()
	progress, short := s.progress()
	if ansi.StringWidth(st.Headline)+4+ansi.StringWidth(progress) > width {
		progress = short
	}
	if !s.details {
		st.Details = nil
	}
	return s.env.statusLines(st, progress, width)
}

// statusLines returns a status, with what runs beside the headline.
func (d *drawing) statusLines(st ExchangeStatus, progress string, width int) []string {
	sign := d.sign(st.Sign)
	headline := sign.Style.Render(sign.Glyph+" ") + d.Theme.Strong.Render(st.Headline)
	lines := []string{d.Glyphs.Between(headline, d.Theme.Muted.Render(progress), width)}
	for _, paragraph := range st.Text {
		if paragraph == "" || paragraph == st.Headline+"." {
			continue
		}
		lines = append(lines, kit.Indent(kit.WrapStyled(d.Theme.Text, paragraph, width-2), 2)...)
	}
	if len(st.Details) > 0 {
		lines = append(lines, "")
	}
	for _, line := range st.Details {
		lines = append(lines, kit.Indent(kit.WrapStyled(d.Theme.Faint, line, width-2), 2)...)
	}
	return lines
}

// status returns how the exchange stands.
func (s *exchangeScreen) status() ExchangeStatus {
	e := s.env
	if s.storeErr != nil {
		return e.words.NotAsked(s.storeErr)
	}
	st := e.words.Exchange(s.authorization, s.machine, s.save.kept)
	if s.machine.State == exchange.Granted && s.save.kept == nil {
		st.Text = append(st.Text, "Saving it in "+e.words.ConfigPath()+e.Glyphs.Ellipsis)
	}
	return st
}

// progress returns what runs beside the headline, and what of it matters most.
func (s *exchangeScreen) progress() (full, short string) {
	switch s.machine.State {
	case exchange.Waiting:
		return s.countdown()
	case exchange.Unreachable, exchange.Disabled, exchange.Busy:
		if !s.machine.Ended() {
			return s.soFar(s.nextTry()), s.nextTry()
		}
	case exchange.Locating, exchange.Verifying, exchange.Granted, exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
	}
	return "", ""
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
