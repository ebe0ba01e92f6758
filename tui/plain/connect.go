package plain

import (
	"context"
	"errors"
	"strings"

	"roam-mcp/exchange"
	"roam-mcp/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui"
)

// connector asks Roam for tokens, of graphs that are connected or not.
type connector struct{ *session }

// connect asks what the form of the setup program asks, and then Roam.
func (c connector) connect(ctx context.Context) error {
	c.look(ctx)
	if err := c.roster.ConfigErr; err != nil {
		c.fail(err)
		return nil
	}
	graph, public, err := c.chooseUnconnected(ctx)
	if err != nil || graph.Name == "" {
		return err
	}
	o := manage.Options{Public: public}
	o.Nickname, err = c.field(ctx, c.words.Nickname(c.roster, graph), manage.ProposedNickname(c.roster.Config, graph))
	if err != nil {
		return err
	}
	if !public {
		if o.AccessLevel, err = c.chooseLevel(ctx, localapi.Full); err != nil || o.AccessLevel == "" {
			return err
		}
	}
	if o.AccessLevel.CanAppend() {
		c.tell(c.words.History(c.roster.Config)...)
	}
	if o.Description, err = c.field(ctx, tui.DescriptionField(), c.options.Description); err != nil {
		return err
	}
	authorization, err := manage.Connect(c.roster.Config, graph, o)
	if err != nil {
		c.fail(err)
		return nil
	}
	return c.exchange(ctx, authorization)
}

// chooseUnconnected gives a graph that is not connected yet; no name: none was
// chosen. A public one is not listed by Roam.
func (c connector) chooseUnconnected(ctx context.Context) (graph localapi.Graph, public bool, err error) {
	var options []option
	var graphs []manage.Graph
	for _, g := range c.roster.Graphs() {
		if !g.Connected {
			options = append(options, option{word: g.Name, about: string(g.Type) + ", " + c.notConnected(g)})
			graphs = append(graphs, g)
		}
	}
	known := c.roster.ListKnown()
	if len(graphs) == 0 && known {
		c.tell("Roam lists no graph that is not connected.")
	}
	other := "somebody's public graph, by its name"
	if !known {
		other = "a graph, by its name"
	}
	options = append(options,
		option{word: "other", about: other},
		option{word: "back"})
	i, err := c.choose(ctx, "Which graph to connect", options, len(options)-1)
	if err != nil || i == len(options)-1 {
		return localapi.Graph{}, false, err
	}
	var chosen manage.Graph
	if i < len(graphs) {
		chosen = graphs[i]
	} else {
		c.tell(c.words.AboutGraphName(c.roster))
		name, err := c.field(ctx, tui.GraphNameField(), "")
		if err != nil || name == "" {
			return localapi.Graph{}, false, err
		}
		chosen, public = c.roster.Named(name)
	}
	if refused := c.words.Refusal(c.roster, chosen); refused != "" {
		c.tell(refused)
		return localapi.Graph{}, false, nil
	}
	return chosen.Graph, public, nil
}

// chooseLevel gives the access level to ask for; empty: none, go back.
func (c connector) chooseLevel(ctx context.Context, standard localapi.AccessLevel) (localapi.AccessLevel, error) {
	c.tell(tui.AboutAccess)
	levels := localapi.RequestableLevels()
	var options []option
	at := 0
	for i, level := range levels {
		options = append(options, option{word: level.Words(), about: level.Explain(), also: []string{string(level), strings.ReplaceAll(level.Words(), " ", "")}})
		if level == standard {
			at = i
		}
	}
	i, err := c.choose(ctx, "Access", append(options, option{word: "back"}), at)
	if err != nil || i == len(levels) {
		return "", err
	}
	return levels[i], nil
}

// reauthorize asks for a new token of a configured graph. The old one stays until
// the new one is saved.
func (c connector) reauthorize(ctx context.Context) error {
	entry, ok, err := c.chooseGraph(ctx, "Which graph to re-authorize", anyGraph)
	if err != nil || !ok {
		return err
	}
	authorization, err := manage.Reauthorize(c.roster.Config, entry, manage.Options{Description: c.options.Description})
	if err != nil {
		c.fail(err)
		return nil
	}
	if request := &authorization.Request; !c.roster.Omits(entry.Graph()) { // of a public graph there is nothing to choose
		if request.AccessLevel, err = c.chooseLevel(ctx, request.AccessLevel); err != nil || request.AccessLevel == "" {
			return err
		}
		if request.Description, err = c.field(ctx, tui.DescriptionField(), request.Description); err != nil {
			return err
		}
	}
	return c.exchange(ctx, authorization)
}

// save keeps a granted token, whatever happens. Where it could not be kept at all
// the person decides.
func (c connector) save(ctx context.Context, a manage.Authorization, machine exchange.Machine) error {
	kept := c.graphs.Keep(ctx, a, machine.Grant)
	for {
		c.tell(c.words.Exchange(a, machine, &kept).Sentences()...)
		if kept.Err == nil {
			if a.Entry.Token.IsZero() {
				c.tell(c.words.ClientNext(kept.Entry.Nickname) + " To do that, choose: clients.")
			}
			return c.askAboutTexts(ctx, kept.Entry)
		}
		if !kept.Lost() {
			return nil
		}
		i, err := c.choose(ctx, "How to go on", []option{
			{word: "again", about: "try again", also: []string{"t"}},
			{word: "leave", about: "leave and lose it; it stays valid in Roam until you revoke it there"},
		}, 0)
		if err != nil {
			return errors.Join(err, kept.Err) // nobody has decided anything
		}
		if i == 1 {
			return nil
		}
		kept = c.graphs.Retry(ctx, kept)
	}
}

// unblocking asks again for a graph that the sandbox is told to unblock before.
type unblocking struct{ exchange.AskAgain }

// chooseAfter asks how to go on after an end without a token; nil is back.
func (c connector) chooseAfter(ctx context.Context, machine exchange.Machine) (exchange.Event, error) {
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
	if machine.State == exchange.Blocked && c.ports.Desk != nil {
		unblock := option{word: "unblock", about: "unblock it in the sandbox, and ask again", also: []string{"u"}}
		options, events = append([]option{unblock}, options...), append([]exchange.Event{unblocking{exchange.AskAgain{AccessLevel: machine.Request.AccessLevel}}}, events...)
	}
	options = append(options, option{word: "back", also: []string{"cancel"}})
	for {
		i, err := c.choose(ctx, "How to go on", options, len(options)-1)
		if err != nil || i == len(events) {
			return nil, err
		}
		switch event := events[i].(type) {
		case unblocking:
			if err := c.ports.Desk.Unblock(machine.Request.Graph); err != nil {
				c.fail(err)
				continue
			}
			return event.AskAgain, nil
		case exchange.UseToken:
		default:
			return event, nil
		}
		if event, err := c.tokenByHand(ctx); err != nil || event != nil {
			return event, err
		}
	}
}

// tokenByHand asks for a token; nil: none was entered.
func (c connector) tokenByHand(ctx context.Context) (exchange.Event, error) {
	c.tell(c.words.AboutToken())
	for {
		text, err := c.hidden(ctx, "Token", "none, back")
		if err != nil || text == "" {
			return nil, err
		}
		token, err := localapi.ParsePastedToken(text)
		if err == nil {
			return exchange.UseToken{Token: token}, nil
		}
		c.fail(err)
	}
}
