package tui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/clients/install"
	"roam-mcp/tui/kit"
)

// proving is a proof under way, or how it ended. The zero value is none.
type proving struct {
	id     int
	stage  provingStage
	steps  []install.ProofStep // the last of them may be under way
	result install.Proof
	err    error
	// roamWasAway is set once Roam was seen not to answer, when the proof began or since.
	roamWasAway bool
}

type provingStage uint8

const (
	notProven provingStage = iota
	provingRuns
	provingDone
)

// Messages of a proof.
type (
	proofStepMsg struct {
		id    int
		steps <-chan install.ProofStep
		step  install.ProofStep
		open  bool
	}
	provenMsg struct {
		id     int
		result install.Proof
		err    error
	}
)

// prove runs a proof and gives each step to report.
type prove func(ctx context.Context, report func(install.ProofStep)) (install.Proof, error)

// begin starts a proof that ends with ctx.
func (p *proving) begin(ctx context.Context, e *env, run prove) tea.Cmd {
	*p = proving{id: e.nextID(), stage: provingRuns, roamWasAway: !e.roster.Roam.Answers()}
	id, steps := p.id, make(chan install.ProofStep, 16)
	return tea.Batch(
		func() tea.Msg { return nextStep(id, steps) },
		func() tea.Msg {
			defer close(steps)
			result, err := run(ctx, func(s install.ProofStep) {
				select {
				case steps <- s:
				case <-ctx.Done():
				}
			})
			return provenMsg{id, result, err}
		},
	)
}

func nextStep(id int, steps <-chan install.ProofStep) tea.Msg {
	step, open := <-steps
	return proofStepMsg{id, steps, step, open}
}

// update handles the messages of a proof. done reports that it has just ended.
func (p *proving) update(msg tea.Msg) (cmd tea.Cmd, done bool) {
	switch msg := msg.(type) {
	case proofStepMsg:
		if msg.id != p.id || !msg.open {
			return nil, false
		}
		if p.stage == provingRuns {
			if n := len(p.steps); n > 0 && p.steps[n-1].Running {
				p.steps = p.steps[:n-1]
			}
			p.steps = append(p.steps, msg.step)
		}
		return func() tea.Msg { return nextStep(msg.id, msg.steps) }, false
	case provenMsg:
		if msg.id != p.id {
			return nil, false
		}
		p.stage, p.result, p.err = provingDone, msg.result, msg.err
		p.steps = msg.result.Steps
		return nil, true
	}
	return nil, false
}

func (p *proving) succeeded() bool { return p.stage == provingDone && p.err == nil }

// failed returns the step that the proof failed at. One without an ID stands for an error
// before the first step.
func (p *proving) failed() (step install.ProofStep, ok bool) {
	if p.stage != provingDone || p.err == nil {
		return install.ProofStep{}, false
	}
	if step, ok := p.result.FailedAt(p.err); ok {
		return step, true
	}
	return install.ProofStep{Failed: true, Err: p.err}, true
}

// toMend returns the step that there is something to do about: the one that the proof
// failed at, or else the first call on a graph that did not answer.
func (p *proving) toMend() (step install.ProofStep, ok bool) {
	if step, failed := p.failed(); failed {
		return step, true
	}
	if silent := p.silent(); len(silent) > 0 {
		return silent[0], true
	}
	return install.ProofStep{}, false
}

// silent returns the calls on graphs that did not answer a proof that succeeded.
func (p *proving) silent() []install.ProofStep {
	if !p.succeeded() {
		return nil
	}
	return p.result.Silent()
}

// goesOnWithRoam reports whether the proof can show more as soon as Roam answers.
func (p *proving) goesOnWithRoam() bool {
	step, ok := p.toMend()
	return ok && (step.Mend == install.MendOpenRoam || step.Mend == install.MendEnableAPI)
}

// goesOnWithGraphs reports whether the proof can show more once the configuration has
// changed.
func (p *proving) goesOnWithGraphs() bool {
	step, ok := p.toMend()
	return ok && (step.Mend == install.MendReauthorize || step.Mend == install.MendConnectGraph)
}

// once is what stands on a screen already and is not said again.
type once map[string]bool

// again reports whether a text was told before, and tells it.
func (o once) again(text string) bool {
	again := o[text]
	o[text] = true
	return again
}

// lines returns the steps, each with its sign, what is the matter with those that failed,
// and which graphs do not answer. With short a proof that succeeded is a single sentence
// before these.
func (p *proving) lines(e *env, width int, short bool, told once) []string {
	var lines []string
	if p.succeeded() && short {
		lines = e.signed(Line{Sign: SignDone, Text: ProvenText(p.result)}, width)
	}
	for _, step := range p.steps {
		if p.succeeded() && (short || step.Failed) {
			continue
		}
		lines = append(lines, e.signed(e.words.Step(step), width)...)
		if step.Failed {
			lines = append(lines, e.explained(step, width, told)...)
		}
	}
	for i, silence := range e.words.Silences(p.silent()) {
		lines = append(lines, e.silence(silence, i == 0, width, told)...)
	}
	if step, ok := p.failed(); ok && step.ID == 0 {
		lines = append(lines, e.signed(Line{Sign: SignFailed, Text: e.words.Error(p.err)}, width)...)
	}
	if p.stage == provingRuns && len(p.steps) == 0 {
		lines = e.signed(Line{Sign: SignBusy, Text: "start the program"}, width)
	}
	return lines
}

// explained says what is the matter with a step that failed, and what to do, unless that
// was told.
func (d *drawing) explained(step install.ProofStep, width int, told once) []string {
	what, todo := d.words.Explain(step.Err)
	todo = d.todo(step, todo)
	if told.again(what + todo) {
		return nil
	}
	lines := kit.Indent(kit.WrapStyled(d.Theme.Text, what, width-2), 2)
	return append(lines, kit.Indent(kit.WrapStyled(d.Theme.Muted, todo, width-2), 2)...)
}

// silence says which graphs do not answer, and unless that was told why, and what to do.
// byKey says that the key that mends is for them.
func (d *drawing) silence(s Silence, byKey bool, width int, told once) []string {
	if told.again(s.Advice()) {
		s.Why, s.Todo, byKey = "", "", false
	}
	if byKey {
		s.Todo = d.todo(s.Step, s.Todo)
	}
	lines := d.signed(Line{Sign: SignWarning, Text: s.String()}, width)
	if s.Todo == "" {
		return lines
	}
	return append(lines, kit.Indent(kit.WrapStyled(d.Theme.Muted, s.Todo, width-2), 2)...)
}

// todo says what to do about a step that failed: the key that does it, or else what is
// given.
func (d *drawing) todo(step install.ProofStep, otherwise string) string {
	switch {
	case MendLabel(step) != "":
		return d.keys.fix.Help().Key + ": " + MendLabel(step) + "."
	case step.Mend == install.MendEnableAPI:
		return otherwise + " This goes on by itself then."
	}
	return otherwise
}

// graphTest starts this program as a client would, for one graph alone, and calls it.
type graphTest struct {
	env     *env
	entry   configstore.Entry
	proving proving
	ctx     context.Context
	cancel  context.CancelFunc
	scroll  kit.Scroll
}

var (
	_ screen  = (*graphTest)(nil)
	_ starter = (*graphTest)(nil)
	_ closer  = (*graphTest)(nil)
)

func newGraphTest(e *env, entry configstore.Entry) *graphTest {
	s := &graphTest{env: e, entry: entry}
	s.ctx, s.cancel = context.WithCancel(e.ctx)
	return s
}

func (s *graphTest) start() tea.Cmd {
	prove, nickname := s.env.ports.Prove, s.entry.Nickname
	if prove == nil {
		return nil
	}
	return s.proving.begin(s.ctx, s.env, func(ctx context.Context, report func(install.ProofStep)) (install.Proof, error) {
		return prove(ctx, nickname, report)
	})
}

func (s *graphTest) close() tea.Cmd {
	s.cancel()
	return nil
}

func (s *graphTest) title() string { return "Test " + s.env.Glyphs.Cut(s.entry.Nickname, 32) }

func (s *graphTest) mode() mode { return mode{inView: true, allowsPanelKeys: true, polls: true} }

func (s *graphTest) update(msg tea.Msg) (action, tea.Cmd) {
	k := s.env.keys
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		if s.proving.mended(msg) {
			return nil, s.start()
		}
		cmd, _ := s.proving.update(msg)
		return nil, cmd
	}
	step, failed := s.proving.failed()
	switch {
	case s.scroll.HandleKey(k.ScrollKeys, press):
	case key.Matches(press, k.esc):
		return back{}, nil
	case s.proving.stage == provingRuns:
	case key.Matches(press, k.test):
		return nil, s.start()
	case key.Matches(press, k.clients) && !failed:
		return show{viewClients}, nil
	case key.Matches(press, k.fix) && failed && MendLabel(step) != "":
		return s.env.mendStep(step)
	}
	return nil, nil
}

// mended reports whether a message tells that what a failed proof lacked is there now. A
// Roam that answers all the time is not what it lacked.
func (p *proving) mended(msg tea.Msg) bool {
	switch msg := msg.(type) {
	case polledMsg:
		p.roamWasAway = p.roamWasAway || msg.roam.Err != nil
		return p.roamWasAway && msg.roam.Err == nil && p.goesOnWithRoam()
	case configWrittenMsg:
		return msg.err == nil && p.goesOnWithGraphs()
	}
	return false
}

func (s *graphTest) keys() []key.Binding {
	k := s.env.keys
	step, failed := s.proving.failed()
	var out []key.Binding
	switch {
	case failed && MendLabel(step) != "":
		out = append(out, kit.Relabel(k.fix, MendLabel(step)), kit.Relabel(k.test, "try again"))
	case failed:
		out = append(out, kit.Relabel(k.test, "try again"))
	case s.proving.stage == provingDone:
		out = append(out, kit.Relabel(k.clients, "connect a client"), kit.Relabel(k.test, "again"))
	}
	out = append(out, k.scrolling(&s.scroll)...)
	return append(out, k.esc)
}

func (s *graphTest) view(width, height int) []string {
	e := s.env
	lines := kit.Paragraph(e.Theme.Muted, "This program is started as an MCP client starts it, for "+s.entry.Nickname+" alone.", width)
	text := min(width-6, kit.ProseWidth)
	lines = append(append(lines, ""), kit.Indent(s.proving.lines(e, text, false, once{}), kit.RowIndent)...)
	if s.proving.succeeded() {
		lines = append(append(lines, ""), kit.Paragraph(e.Theme.Text, "An agent can work with this graph.", width)...)
	}
	return s.scroll.View(e.Look, lines, height)
}
