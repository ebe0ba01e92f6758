package tui

import (
	"cmp"
	"strings"

	"roam-mcp/internal/clients"
	"roam-mcp/internal/clients/install"
	"roam-mcp/tui/kit"
)

// pane returns everything known of the selected client, for the column beside the list,
// that is width cells wide with what is around it.
func (s *clientsScreen) pane(width, height int) []string {
	status, ok := s.selected()
	if !ok {
		return nil
	}
	e, width := s.env, width-detailsAround
	lines := append(kit.WrapStyled(e.Theme.Strong, status.Client.Name, width), "")
	return e.Glyphs.Clamp(append(lines, s.facts(status, width)...), height, width)
}

func (s *clientsScreen) facts(status install.Status, width int) []string {
	e, t := s.env, s.env.Theme
	const label = 11
	var out []string
	add := func(name, value string, style kit.Style) {
		if value != "" {
			out = append(out, e.Labelled(t.Muted, name, label, kit.WrapStyled(style, value, width-label))...)
		}
	}
	state := s.state(status)
	sign := e.sign(state.Sign)
	add("State", sign.Glyph+" "+state.Text, sign.Style)
	add("File", e.words.Path(status.File), t.Text)
	for _, entry := range status.Entries {
		add("Entry", kit.Sanitize(entry.Name)+entryAside(entry), t.Text)
		if entry.URL != "" {
			add("Address", kit.Sanitize(entry.URL), t.Text)
		} else {
			add("Program", kit.Sanitize(e.words.World.Shell.Join(append([]string{e.words.Path(entry.Command)}, entry.Args...)...)), t.Text)
		}
		add("Also has", kit.Sanitize(entry.Also()), t.Warning)
	}
	add("Gives", kit.Sanitize(status.Gives), t.Text)
	add("Beside it", kit.Sanitize(strings.Join(status.Beside, ", ")), t.Text)
	if status.State == clients.Configured {
		called, _ := s.called(status)
		add("Last call", cmp.Or(strings.TrimPrefix(called, "last call "), "none yet"), t.Text)
		add("Proof", s.proofFact(status), t.Text)
	}
	about := ""
	switch {
	case status.Err != nil:
		about = e.words.Error(status.Err)
	case status.State == clients.Absent:
		about = "It is not on this machine. y copies what it would be told."
	case status.State == clients.Present:
		about = "enter shows what would change in its file."
	}
	if about != "" {
		out = append(append(out, ""), kit.WrapStyled(t.Muted, about, width)...)
	}
	return out
}

// entryAside says what is to be known of an entry besides its name.
func entryAside(entry clients.Entry) string {
	switch {
	case entry.Gone:
		return ", its program is gone"
	case !entry.Ours:
		return ", another server"
	case entry.Disabled:
		return ", switched off in the client"
	}
	return ""
}

// proofFact says how the last proof of a client ended.
func (s *clientsScreen) proofFact(status install.Status) string {
	if job := s.jobs[status.Client.ID]; job != nil {
		if step, failed := job.proving.failed(); failed {
			return "failed: " + s.env.words.Step(step).Text
		}
		if job.queued || job.proving.stage == provingRuns {
			return "under way"
		}
		if job.proving.succeeded() {
			facts := []string{ProvenText(job.proving.result)}
			for _, silence := range s.env.words.Silences(job.proving.silent()) {
				facts = append(facts, strings.TrimSuffix(silence.String(), "."))
			}
			return strings.Join(facts, "; ")
		}
	}
	if status.Proven.IsZero() {
		return "none; t proves that it works"
	}
	return kit.Ago(s.env.now.Sub(status.Proven))
}
