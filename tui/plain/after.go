package plain

import (
	"context"

	"roam-mcp/exchange"
	"roam-mcp/localapi"
)

// unblocking asks again for a graph that the sandbox is told to unblock before.
type unblocking struct{ exchange.AskAgain }

// chooseAfter asks how to go on after an end without a token; nil is back.
func (s *prompter) chooseAfter(ctx context.Context, machine exchange.Machine) (exchange.Event, error) {
	var options []option
	var events []exchange.Event
	for _, event := range machine.Offers() {
		o := option{word: "again", about: "ask again", also: []string{"a"}}
		switch event := event.(type) {
		case exchange.Retry:
			o = option{word: "retry", about: "look again", also: []string{"r"}}
		case exchange.AskAgain:
			if event.AccessLevel != machine.Request.AccessLevel {
				o = option{word: "less", about: "ask for less (" + event.AccessLevel.Words() + ")", also: []string{"l"}}
			}
		case exchange.UseToken:
			o = option{word: "token", about: "enter a token made by hand", also: []string{"v"}}
		default:
			continue // means nothing to an exchange that has ended
		}
		options, events = append(options, o), append(events, event)
	}
	if machine.State == exchange.Blocked && s.ports.Desk != nil {
		unblock := option{word: "unblock", about: "unblock it in the sandbox, and ask again", also: []string{"u"}}
		options, events = append([]option{unblock}, options...), append([]exchange.Event{unblocking{exchange.AskAgain{AccessLevel: machine.Request.AccessLevel}}}, events...)
	}
	options = append(options, option{word: "back", also: []string{"cancel"}})
	for {
		i, err := s.choose(ctx, "How to go on", options, len(options)-1)
		if err != nil || i == len(events) {
			return nil, err
		}
		switch event := events[i].(type) {
		case unblocking:
			if err := s.ports.Desk.Unblock(machine.Request.Graph); err != nil {
				s.fail(err)
				continue
			}
			return event.AskAgain, nil
		case exchange.UseToken:
		default:
			return event, nil
		}
		if event, err := s.tokenByHand(ctx); err != nil || event != nil {
			return event, err
		}
	}
}

// tokenByHand asks for a token; nil: none was entered.
func (s *prompter) tokenByHand(ctx context.Context) (exchange.Event, error) {
	s.tell(s.words.AboutToken())
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
