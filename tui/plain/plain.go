// Package plain is the setup program as line prompts: for screen readers, slow
// links, and answers from a pipe.
//
// It promises one question a line, each with its default; that nothing typed is
// lost between two questions; that the end of the input ends the program with an
// error and changes nothing; and that no token is printed. It draws nothing: no
// colour, no cursor movement. Its sentences are those of package tui, and what
// it can do is in the ports of package tui.
package plain

import (
	"context"

	"roam-mcp/manage"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
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
	s := newSession(ctx, ports, options)
	s.tell("roam-mcp, plain: each question is a line, and Enter alone gives the default.")
	if options.Todo != "" {
		s.tell(options.Todo)
	}
	s.look(ctx)
	s.tell(s.words.RoamStatus(s.roster.Roam))
	s.tellProblems()
	s.tellGraphs()
	s.say("")
	m := newMenu(s)
	m.tellJobs()
	for {
		job, err := m.chooseJob(ctx)
		if err != nil {
			return s.over(err)
		}
		if job.run == nil {
			return s.err
		}
		if err := job.run(ctx); err != nil {
			return s.over(err)
		}
	}
}

// session is one run of the program: who asks, and what is known of the configuration and
// of Roam.
type session struct {
	prompter
	ports  tui.Ports
	graphs *manage.Manager
	roster *manage.Roster
}

func newSession(ctx context.Context, ports tui.Ports, options Options) *session {
	s := &session{
		prompter: prompter{
			teller: teller{
				// No panel: the desk asks in the same lines.
				words:  options.Wording(ports.Graphs.Path, false),
				glyphs: kit.GlyphsFor(options.Environ),
				w:      options.Output,
			},
			options: options, in: newInput(ctx, options.Input),
		},
		ports: ports, graphs: ports.Graphs, roster: manage.NewRoster(),
	}
	if ports.Desk != nil {
		s.desk.updates = ports.Desk.Watch(ctx)
	}
	return s
}

// over is the error that ends the program: a terminal that can't be written to
// goes before whatever came of it.
func (s *session) over(err error) error {
	if s.err != nil {
		return s.err
	}
	return err
}

func (s *session) look(ctx context.Context) { s.graphs.Refresh(ctx, s.roster) }
