package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/journal/review"
	"roam-mcp/tui/kit"
)

// callScreen shows one call: who made it and when, what was sent, and what came back. Of a
// server that this program does not run, nobody knows these two; where the call wrote, the
// journal's difference stands in their place.
type callScreen struct {
	activity *activityScreen
	key      callKey
	scroll   kit.Scroll
}

var _ screen = (*callScreen)(nil)

func newCallScreen(s *activityScreen, key callKey) *callScreen {
	return &callScreen{activity: s, key: key}
}

func (s *callScreen) title() string { return "Call" }

func (s *callScreen) mode() mode { return s.activity.mode() }

// call returns the call that is shown; false where it is no longer listed.
func (s *callScreen) call() (call feedCall, at int, found bool) {
	feed := &s.activity.feed
	if at = feed.indexOf(s.key); at < 0 {
		return feedCall{}, -1, false
	}
	return feed.calls[at], at, true
}

func (s *callScreen) update(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	e := s.activity.env
	k := e.keys
	call, at, found := s.call()
	switch {
	case key.Matches(press, k.esc):
		return back{}, nil
	case key.Matches(press, k.nextCall) && found:
		s.show(at + 1)
	case key.Matches(press, k.previousCall) && found:
		s.show(at - 1)
	case key.Matches(press, k.changes, k.enter) && s.hasDiff(call):
		return open{newDiffScreen(e, review.Line{Number: call.Change, Agent: call.Client, Graph: call.Graph, Tool: call.Tool}, callDiff{})}, nil
	case key.Matches(press, k.copy) && found:
		return nil, e.copy("the call", s.text(call))
	default:
		s.scroll.HandleKey(k.ScrollKeys, press)
	}
	return nil, nil
}

// show shows the call at an index of the list, where there is one. The list follows.
func (s *callScreen) show(at int) {
	calls := s.activity.feed.calls
	if at < 0 || at >= len(calls) {
		return
	}
	s.key, s.scroll = calls[at].key(), kit.Scroll{}
	s.activity.list.Select(at)
}

// hasDiff reports whether the journal knows what the call changed.
func (s *callScreen) hasDiff(call feedCall) bool {
	return call.Change != 0 && s.activity.env.ports.History != nil
}

func (s *callScreen) keys() []key.Binding {
	k := s.activity.env.keys
	call, at, found := s.call()
	var out []key.Binding
	if s.hasDiff(call) {
		out = append(out, k.changes)
	}
	if found && at < len(s.activity.feed.calls)-1 {
		out = append(out, k.nextCall)
	}
	if at > 0 {
		out = append(out, k.previousCall)
	}
	if found {
		out = append(out, k.copy)
	}
	out = append(out, k.scrolling(&s.scroll)...)
	return append(out, k.esc)
}

func (s *callScreen) view(width, height int) []string {
	e, feed := s.activity.env, &s.activity.feed
	call, at, found := s.call()
	if !found {
		return kit.Paragraph(e.Theme.Text, "This call is no longer in the list.", width)
	}
	const label = 10
	text := width - 2*kit.RowIndent
	var lines []string
	fact := func(name, value string) {
		lines = append(lines, e.Theme.Muted.Render(e.Glyphs.Fit(name, label))+e.Glyphs.Cut(value, text-label))
	}
	tool := e.Theme.Strong.Render(kit.Sanitize(call.Tool)) + e.Theme.Muted.Render(map[bool]string{true: "  writes", false: "  reads"}[call.Writes])
	lines = append(lines, e.Glyphs.Between(e.Theme.Muted.Render(e.Glyphs.Fit("Tool", label))+tool, e.Theme.Faint.Render(fmt.Sprintf("%d of %d", at+1, len(feed.calls))), text))
	fact("Client", e.Theme.Text.Render(orNone(kit.Sanitize(call.Client), e))+e.Theme.Muted.Render("  through "+feed.serverOf(call)))
	fact("Graph", e.Theme.Text.Render(orNone(kit.Sanitize(call.Graph), e)))
	if call.Page != "" {
		fact("Page", e.Theme.Text.Render(kit.Sanitize(call.Page)))
	}
	when := e.Theme.Text.Render(call.At.Local().Format(time.TimeOnly))
	if took := feed.took(call); took != "" {
		when += e.Theme.Muted.Render("  took " + strings.TrimSpace(took))
	}
	fact("Started", when)
	result := feed.result(call)
	if call.Sentence != "" {
		result += e.Theme.Muted.Render("  " + kit.Sanitize(call.Sentence))
	}
	fact("Result", result)
	lines = append(lines, s.bodies(call, text)...)
	return s.scroll.View(e.Look, kit.Indent(lines, kit.RowIndent), height)
}

// bodies returns what was sent and what came back, as far as this program knows it.
func (s *callScreen) bodies(call feedCall, width int) []string {
	e := s.activity.env
	if call.own == nil {
		why := "What was sent and what came back stays in the memory of the server that the client started."
		if s.hasDiff(call) {
			why += " d shows what it changed, from the history."
		}
		return append([]string{""}, kit.WrapStyled(e.Theme.Muted, why, min(width, kit.ProseWidth))...)
	}
	var lines []string
	part := func(heading, text string) {
		lines = append(lines, "", e.Theme.Muted.Render(heading), "")
		for _, line := range strings.Split(text, "\n") {
			lines = append(lines, kit.Indent(kit.HardWrap(kit.Sanitize(line), width-2, e.Theme.Text), 2)...)
		}
	}
	part("What was sent", formatJSON(string(call.own.start.Arguments)))
	if call.Ended {
		part("What came back", formatJSON(call.own.end.Reply))
	}
	return lines
}

// text returns the call as it is copied.
func (s *callScreen) text(call feedCall) string {
	feed := &s.activity.feed
	result, _ := resultWords(call.LoggedCall)
	if !call.Ended {
		result = "running"
	}
	text := fmt.Sprintf("%s  %s  %s  %s  %s  %s\n", call.At.Local().Format(time.DateTime), call.Client, call.Graph, call.Tool, feed.took(call), result)
	if call.own == nil {
		return text
	}
	return text + "\nSent:\n" + formatJSON(string(call.own.start.Arguments)) + "\n\nCame back:\n" + formatJSON(call.own.end.Reply) + "\n"
}

// formatJSON returns JSON indented, and any other text as it is.
func formatJSON(text string) string {
	var value any
	switch {
	case text == "":
		return "nothing"
	case json.Unmarshal([]byte(text), &value) != nil:
		return text
	}
	if _, isText := value.(string); isText {
		return text
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if encoder.Encode(value) != nil {
		return text
	}
	return strings.TrimSuffix(b.String(), "\n")
}
