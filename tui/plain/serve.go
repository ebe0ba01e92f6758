package plain

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"roam-mcp/problem"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

// serve runs the server over HTTP until the person stops it, and tells of each
// call as it ends.
func (s *session) serve(ctx context.Context) error {
	service, err := s.ports.Serve(ctx, tui.ServeRequest{})
	if problem.CodeOf(err) == tui.CodeAddressInUse {
		s.fail(err)
		i, askErr := s.choose(ctx, "Another port", []option{
			{word: "no", about: "do not serve", also: []string{"n", "back"}}, {word: "yes", about: "serve on another port, for this time alone", also: []string{"y"}},
		}, 0)
		if askErr != nil || i == 0 {
			return askErr
		}
		service, err = s.ports.Serve(ctx, tui.ServeRequest{AnyPort: true})
	}
	if err != nil {
		s.fail(err)
		return nil
	}
	defer service.Stop()
	s.tell("Serving at " + service.URL() + ". Each call of an agent is told here when it has ended.")
	if s.roster.ConfigErr == nil && len(s.roster.Config.Enabled()) == 0 {
		s.tell("No graph is connected and enabled yet, so agents find nothing until one is.")
	}
	command := tui.HTTPSnippets(service, "", s.words)[0]
	s.tell("To connect " + command.Client + ", run in a terminal:")
	s.say(command.Text) // to be copied, so it is not broken
	s.calls = service.Calls()
	defer func() { s.calls = nil }()
	options := []option{
		{word: "stop", about: "end the server", also: []string{"back"}},
		{word: "pause", about: "refuse all writes until resume", also: []string{"p"}},
		{word: "resume", about: "let writes through again"},
	}
	i, err := s.choose(ctx, "Serving", options, 0)
	for ; err == nil; i, err = s.pick(ctx, "Serving", options, 0) {
		switch options[i].word {
		case "stop":
			s.tell("Stopped serving.")
			return nil
		case "pause":
			service.PauseWrites(true)
			s.tell("Writes are paused: agents are told so.")
		case "resume":
			service.PauseWrites(false)
			s.tell("Writes go through again.")
		}
	}
	return err
}

// called tells of a call that has ended, or of the server's own end. It reports
// whether there was anything to tell.
func (p *prompter) called(call tui.Call, open bool) bool {
	switch {
	case !open:
		p.calls = nil
		p.tell("The server has ended. stop goes back.")
	case !call.Ended:
		return false
	default:
		if p.options.Terminal {
			p.say("") // off the line of the question
		}
		p.tell(p.callSentence(call))
	}
	return true
}

// callSentence says of a call that has ended when it was, whose, and what came of it.
func (p *prompter) callSentence(call tui.Call) string {
	orNone := func(text string) string { return cmp.Or(text, p.glyphs.None) }
	result, _ := tui.CallResult(call)
	if call.Change != 0 {
		result += fmt.Sprintf(", no. %d in the history", call.Change)
	}
	return fmt.Sprintf("%s: %s called %s, graph %s, %s: %s", call.At.Add(-call.Took).Format(time.TimeOnly),
		orNone(call.Client), call.Tool, orNone(call.Graph), kit.ShortDuration(call.Took), problem.Sentence(result))
}
