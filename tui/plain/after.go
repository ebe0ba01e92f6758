package plain

import (
	"context"

	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/tui"
)

// chooseAfter asks how to go on after an end without a token; nil is back.
func (s *session) chooseAfter(ctx context.Context, asking *tui.Asking) (exchange.Event, error) {
	machine := asking.Machine()
	var options []option
	var events []func() (exchange.Event, error)
	offer := func(o option, event func() (exchange.Event, error)) {
		options, events = append(options, o), append(events, event)
	}
	sends := func(event exchange.Event) func() (exchange.Event, error) {
		return func() (exchange.Event, error) { return event, nil }
	}
	switch machine.State {
	case exchange.Unreachable, exchange.Disabled:
		offer(option{word: "retry", about: "look again", also: []string{"r"}}, sends(exchange.Retry{}))
	case exchange.Locating, exchange.Waiting, exchange.Busy, exchange.Verifying, exchange.Granted,
		exchange.Rejected, exchange.Blocked, exchange.TimedOut, exchange.Failed, exchange.Cancelled:
		offer(option{word: "again", about: "ask again", also: []string{"a"}}, sends(exchange.AskAgain{AccessLevel: machine.Request.AccessLevel}))
		if lower := asking.Lower(); machine.State == exchange.Rejected && lower != "" {
			offer(option{word: "less", about: "ask for less (" + lower.Words() + ")", also: []string{"l"}}, sends(exchange.AskAgain{AccessLevel: lower}))
		}
		offer(option{word: "token", about: "enter a token made by hand", also: []string{"v"}}, func() (exchange.Event, error) { return s.tokenByHand(ctx) })
	}
	offer(option{word: "back", also: []string{"cancel"}}, sends(nil))
	for {
		i, err := s.choose(ctx, "How to go on", options, len(options)-1)
		if err != nil {
			return nil, err
		}
		event, err := events[i]()
		if err != nil || event != nil || i == len(options)-1 {
			return event, err
		}
	}
}

// tokenByHand asks for a token; nil: none was entered.
func (s *session) tokenByHand(ctx context.Context) (exchange.Event, error) {
	s.tell(s.words.ByHandAbout())
	for {
		text, err := s.hidden(ctx, "Token", "none, back")
		if err != nil || text == "" {
			return nil, err
		}
		token, err := localapi.ParsePastedToken(text)
		if err == nil {
			return exchange.UseToken{Token: token}, nil
		}
		s.fail(err)
	}
}
