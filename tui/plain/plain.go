// Package plain is the setup program as line prompts: for screen readers, slow
// links, and answers from a pipe.
//
// It promises one question a line, each with its default; that nothing typed is
// lost between two questions; that the end of the input ends the program with an
// error and changes nothing; and that no token is printed. It draws nothing: no
// colour, no cursor movement. What it tells it takes from package tui, whose
// ports it uses.
package plain

import (
	"context"
	"io"

	"roam-mcp/configstore"
	"roam-mcp/tui"
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
// of the input is a *problem.Error with CodeInputEnded. A read of the input that is under way outlives
// the call, since nothing can interrupt it.
func Run(ctx context.Context, ports tui.Ports, options Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newSession(ctx, ports, options)
	s.tell("roam-mcp, plain: each question is a line, and Enter alone gives the default.")
	s.look(ctx)
	s.tell(s.words.Roam())
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

// session is one run of the program.
type session struct {
	ports   tui.Ports
	options Options
	words   *tui.Words
	in      *input
	out     *printer
	desk    approvals
	calls   <-chan tui.Call       // of the server that runs; nil: none does
	removed []configstore.Removed // what "put back" puts back, the newest last
}

func newSession(ctx context.Context, ports tui.Ports, options Options) *session {
	known := ports
	known.Desk = nil // no panel: the desk asks in the same lines
	s := &session{
		ports: ports, options: options,
		words: tui.NewWords(ctx, known, options.Options),
		in:    newInput(ctx, options.Input),
		out:   &printer{w: options.Output},
	}
	if ports.Desk != nil {
		s.desk.updates = ports.Desk.Watch(ctx)
	}
	return s
}

// over is the error that ends the program: a terminal that can't be written to
// goes before whatever came of it.
func (s *session) over(err error) error {
	if s.out.err != nil {
		return s.out.err
	}
	return err
}

func (s *session) look(ctx context.Context) { s.words.Look(ctx) }

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

// tell prints sentences, wrapped.
func (s *session) tell(sentences ...string) { s.tellIn("", sentences...) }

// tellIn is tell with an indent before each line.
func (s *session) tellIn(indent string, sentences ...string) {
	for _, sentence := range sentences {
		for _, line := range s.words.Wrap(sentence, lineWidth-len(indent)) {
			s.say(indent + line)
		}
	}
}

// say prints a line as it is.
func (s *session) say(line string) { s.out.print(line + "\n") }

// fail tells of an error that ends a job and not the program.
func (s *session) fail(err error) { s.tell(s.words.Error(err)) }
