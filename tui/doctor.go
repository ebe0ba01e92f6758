package tui

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients/doctor"
	"roam-mcp/internal/localapi"
	"roam-mcp/tui/kit"
)

// doctorScreen shows what the checks find, as they find it, and mends what can be mended.
// It looks again when the configuration or Roam has changed.
type doctorScreen struct {
	env    *env
	ctx    context.Context
	cancel context.CancelFunc

	run      int // number of the run under way, 0: none is
	again    bool
	findings []doctor.Finding // of the last run, or of the first one so far
	report   *doctor.Report   // of the last run that has ended
	mending  bool

	list        kit.List[string] // of subjects
	roamAnswers bool             // when the last run began
}

var (
	_ screen  = (*doctorScreen)(nil)
	_ starter = (*doctorScreen)(nil)
	_ closer  = (*doctorScreen)(nil)
)

// Messages of a run, by its number.
type (
	foundMsg struct {
		run     int
		finding doctor.Finding
	}
	examinedMsg struct {
		run    int
		report doctor.Report
	}
	mendedMsg struct {
		screen *doctorScreen
		done   []string // what was done
		err    error    // why something was not
	}
)

func newDoctorScreen(e *env) *doctorScreen {
	ctx, cancel := context.WithCancel(e.ctx)
	s := &doctorScreen{env: e, ctx: ctx, cancel: cancel}
	s.list = kit.NewList(configstore.MaxNicknameLength, func() (int, func(int) string) {
		listed := s.listed()
		return len(listed), func(i int) string { return listed[i].Subject }
	})
	return s
}

func (s *doctorScreen) title() string { return "Doctor" }

func (s *doctorScreen) mode() mode {
	typing := s.list.Filter.Typing
	return mode{inView: true, typing: typing, allowsPanelKeys: !typing, polls: true, mouse: true}
}

func (s *doctorScreen) start() tea.Cmd { return s.examine() }

// pause does nothing: what is under way ends by itself.
func (s *doctorScreen) pause() {}

// resume examines anew.
func (s *doctorScreen) resume() tea.Cmd { return s.examine() }

func (s *doctorScreen) close() tea.Cmd {
	s.cancel()
	return nil
}

// examine returns a command that runs the checks.
func (s *doctorScreen) examine() tea.Cmd {
	if s.run != 0 {
		s.again = true
		return nil
	}
	s.run, s.again, s.roamAnswers = s.env.nextID(), false, s.env.roster.Roam.Answers()
	ctx, run, examine := s.ctx, s.run, s.env.ports.Doctor
	return reporting(ctx, func(send func(tea.Msg)) {
		checks, done := examine(ctx)
		defer done()
		send(examinedMsg{run, doctor.Run(ctx, checks, func(f doctor.Finding) { send(foundMsg{run, f}) })})
	})
}

func (s *doctorScreen) update(msg tea.Msg) (action, tea.Cmd) {
	switch msg := msg.(type) {
	case foundMsg:
		if msg.run == s.run && s.report == nil {
			s.findings = append(s.findings, msg.finding)
		}
	case examinedMsg:
		if msg.run != s.run {
			return nil, nil
		}
		return nil, s.examined(msg.report)
	case mendedMsg:
		if msg.screen != s {
			return nil, nil
		}
		return s.mended(msg)
	case configMsg:
		return nil, s.examine()
	case polledMsg:
		if s.env.roster.Roam.Answers() != s.roamAnswers {
			return nil, s.examine()
		}
	case tea.PasteMsg:
		s.list.Paste(msg.Content)
	case wheelMsg:
		s.list.Wheel(msg.lines)
	case clickMsg:
		s.list.Click(msg.y)
	case tea.KeyPressMsg:
		return s.key(msg)
	}
	return nil, nil
}

// examined takes the report of a run that has ended.
func (s *doctorScreen) examined(report doctor.Report) tea.Cmd {
	s.run, s.report, s.findings = 0, &report, report.Findings
	if at := slices.IndexFunc(s.listed(), func(f doctor.Finding) bool { return !f.Well() }); !s.list.Held() {
		s.list.Suggest(max(at, 0))
	}
	if s.again {
		return s.examine()
	}
	return nil
}

// listed returns the findings that fit the filter.
func (s *doctorScreen) listed() []doctor.Finding {
	filter := configstore.FoldNickname(s.list.Filter.Text)
	if filter == "" {
		return s.findings
	}
	var out []doctor.Finding
	for _, f := range s.findings {
		if strings.Contains(configstore.FoldNickname(f.Subject+" "+f.Found), filter) {
			out = append(out, f)
		}
	}
	return out
}

func (s *doctorScreen) key(press tea.KeyPressMsg) (action, tea.Cmd) {
	k := s.env.keys
	switch {
	case s.list.HandleKey(k.list(), press):
		return nil, nil
	case key.Matches(press, k.esc, k.quit):
		return back{}, nil
	case key.Matches(press, k.refresh):
		s.list.Release()
		return nil, s.examine()
	case key.Matches(press, k.mendAll):
		return s.mendAll()
	case key.Matches(press, k.fix, k.enter):
		return s.mend()
	case key.Matches(press, k.copy) && s.report != nil:
		e := s.env
		told, err := json.MarshalIndent(s.report.Tell(e.words.World, e.options.Version, runtime.GOOS+"/"+runtime.GOARCH, e.words.Home, e.options.Sandbox), "", "  ")
		if err != nil {
			return e.complain(err), nil
		}
		return nil, e.copy("the report", string(told))
	}
	return nil, nil
}

// chosen returns the selected finding.
func (s *doctorScreen) chosen() (doctor.Finding, bool) {
	if at := s.list.Selected(); at >= 0 {
		return s.listed()[at], true
	}
	return doctor.Finding{}, false
}

// mend mends the selected finding, or leads to where a person does.
func (s *doctorScreen) mend() (action, tea.Cmd) {
	f, ok := s.chosen()
	switch {
	case !ok || s.mending:
		return nil, nil
	case f.Fix != nil && f.Fix.Do != nil:
		return nil, s.do(f)
	case f.Fix != nil:
		return s.goTo(f.Fix.Go)
	case f.Well():
		return inform("There is nothing to mend: " + f.Subject + " is well."), nil
	}
	return inform("This is not mended from here. The lines below say how."), nil
}

// mendAll mends all that needs nobody's word.
func (s *doctorScreen) mendAll() (action, tea.Cmd) {
	if s.report == nil || s.mending {
		return nil, nil
	}
	safe := s.report.Safe()
	if len(safe) == 0 {
		return inform("Nothing is left that could be mended without asking you."), nil
	}
	return nil, s.do(safe...)
}

// do returns a command that mends findings, one after another. The program does not end
// meanwhile.
func (s *doctorScreen) do(findings ...doctor.Finding) tea.Cmd {
	s.mending = true
	ctx := s.env.ctx
	return s.env.trackWrite(func() tea.Msg {
		msg := mendedMsg{screen: s}
		for _, f := range findings {
			if err := doctor.Mend(ctx, f); err != nil {
				msg.err = err
				break
			}
			msg.done = append(msg.done, f.Fix.Done)
		}
		return msg
	})
}

func (s *doctorScreen) mended(msg mendedMsg) (action, tea.Cmd) {
	s.mending = false
	told := notice{kind: noticeSuccess}
	for _, done := range msg.done {
		told.text += done + " "
	}
	if msg.err != nil {
		told = notice{told.text + s.env.words.Error(msg.err), noticeFailure}
	}
	return notify{told}, s.examine()
}

// goTo leads to where a person mends something.
func (s *doctorScreen) goTo(target doctor.Target) (action, tea.Cmd) {
	e := s.env
	entry, connected := e.roster.Config.Find(target.Name)
	switch target.Place {
	case doctor.Reauthorize:
		if connected {
			return open{newReauthorizeForm(e, entry)}, nil
		}
	case doctor.Enable:
		if connected && entry.Disabled {
			return nil, e.config.setDisabled([]configstore.Entry{entry}, false)
		}
	case doctor.Connect:
		if waiting, ok := (configstore.Config{Entries: e.roster.Config.WithoutToken}).Find(target.Name); ok && target.Name != "" {
			return e.openConnectForm(e.roster.Graph(waiting.Graph()), false)
		}
		return open{newByNameForm(e)}, nil
	case doctor.Client:
		return show{viewClients}, nil
	case doctor.OpenRoam:
		return e.roam.open(localapi.Graph{})
	case doctor.EditConfig:
		return e.config.edit()
	case doctor.Import, doctor.Nowhere:
	}
	return inform("This is not mended from here. The lines below say how."), nil
}

func (s *doctorScreen) keys() []key.Binding {
	k := s.env.keys
	if s.list.Filter.Typing {
		return k.filtering(s.list.Len())
	}
	var out []key.Binding
	if f, ok := s.chosen(); ok && f.Fix != nil {
		out = append(out, kit.Relabel(k.fix, f.Fix.Label))
	}
	if s.report != nil {
		if n := len(s.report.Safe()); n > 0 {
			out = append(out, k.mendAll)
		}
		out = append(out, kit.Relabel(k.copy, "copy the report"))
	}
	esc := k.esc
	if s.list.Filter.Text != "" {
		esc = kit.Relabel(k.esc, "show all")
	}
	return append(out, k.refresh, k.filter, kit.Relabel(k.chooseRow, "choose"), esc)
}

// parts returns what the menu is told of the findings.
func (s *doctorScreen) parts() menuParts {
	k := s.env.keys
	p := menuParts{
		ofRow: []key.Binding{k.fix},
		later: because("the checks are not done yet", k.mendAll, kit.Relabel(k.copy, "copy the report")),
		moves: s.list.Len() > 1,
	}
	if s.report != nil {
		p.later = because("nothing can be mended without asking you", k.mendAll)
	}
	f, ok := s.chosen()
	switch {
	case !ok:
		return p
	case f.Well():
		p.later = append(p.later, because("it is well", k.fix)...)
	default:
		p.later = append(p.later, because("not from here; its lines say how", k.fix)...)
	}
	p.row = kit.Sanitize(f.Subject)
	return p
}
