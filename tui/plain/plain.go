// Package plain is the setup program as line prompts: for screen readers, slow
// links, and answers from a pipe.
//
// It promises one question a line, each with its default; that nothing typed is
// lost between two questions; that the end of the input ends the program with an
// error and changes nothing; and that no token is printed. It draws nothing: no
// colour, no cursor movement. Its sentences are those of package wording, and what
// it can do is in the ports of package tui.
package plain

import (
	"context"
	"io"

	"roam-mcp/manage"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
	"roam-mcp/tui/wording"
)

// Options are those of the setup program; Input and Output must be set.
type Options struct {
	tui.Options
	// Terminal says that somebody types the answers, rather than a pipe.
	Terminal bool
	// HideInput stops the terminal from showing what is typed, until show is
	// called. Nil where there is no terminal.
	HideInput func() (show func(), err error)
}

// Run asks and tells until the person quits, the input ends or ctx ends. The end
// of the input is a *problem.Error with CodeInputEnded. A read of the input that is
// under way outlives the call, since nothing can interrupt it.
func Run(ctx context.Context, ports tui.Ports, options Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newPrompter(ctx, ports, options)
	s.tell("roam-mcp, plain: each question is a line, and Enter alone gives the default.")
	s.look(ctx)
	s.tell(s.words.RoamStatus(s.roster.Roam))
	s.tellProblems()
	s.tellGraphs()
	s.say("")
	s.tellJobs()
	for {
		job, err := s.chooseJob(ctx)
		if err != nil {
			return s.over(err)
		}
		if job.run == nil {
			return s.out.err
		}
		if err := job.run(s, ctx); err != nil {
			return s.over(err)
		}
	}
}

// prompter is one run of the program.
type prompter struct {
	ports   tui.Ports
	graphs  *manage.Manager
	options Options
	roster  *manage.Roster
	words   wording.Wording
	glyphs  kit.Glyphs
	in      *input
	out     *printer
	desk    approvals
	calls   <-chan tui.Call // of the server that runs; nil: none does
	removed manage.Removals
	profile int    // index of the profile that clients are given
	graph   string // nickname of the graph that they are given alone; "" for every enabled one
}

func newPrompter(ctx context.Context, ports tui.Ports, options Options) *prompter {
	s := &prompter{
		ports: ports, graphs: ports.Graphs, options: options, roster: manage.NewRoster(),
		// No panel: the desk asks in the same lines.
		words:  options.Wording(ports.Graphs.Path, false),
		glyphs: kit.GlyphsFor(options.Environ),
		in:     newInput(ctx, options.Input),
		out:    &printer{w: options.Output},
	}
	if ports.Desk != nil {
		s.desk.updates = ports.Desk.Watch(ctx)
	}
	return s
}

// over is the error that ends the program: a terminal that can't be written to
// goes before whatever came of it.
func (s *prompter) over(err error) error {
	if s.out.err != nil {
		return s.out.err
	}
	return err
}

func (s *prompter) look(ctx context.Context) { s.graphs.Refresh(ctx, s.roster) }

// printer writes lines, and keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) print(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, text)
	}
}

// lineWidth is how long a line of prose gets, in cells.
const lineWidth = 76

// tell prints sentences, wrapped, and the commands in them each on a line of its own.
func (s *prompter) tell(sentences ...string) { s.tellIn("", sentences...) }

// tellIn is tell with an indent before each line.
func (s *prompter) tellIn(indent string, sentences ...string) {
	for _, sentence := range sentences {
		for _, line := range kit.Wrap(kit.Around(sentence, s.line), lineWidth-len(indent)) {
			s.say(indent + kit.Sanitize(line))
		}
	}
}

// line makes a text fit to be printed: nothing in it is a command to the terminal,
// and typographic signs are replaced where it lacks them.
func (s *prompter) line(text string) string { return s.glyphs.Transliterate(kit.Sanitize(text)) }

// say prints a line as it is.
func (s *prompter) say(line string) { s.out.print(line + "\n") }

// fail tells of an error that ends a job and not the program.
func (s *prompter) fail(err error) { s.tell(s.words.Error(err)) }
