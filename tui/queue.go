package tui

import (
	"context"
	"errors"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

// connectQueue connects several graphs: one form for all of them, then one
// exchange after another, then what became of each.
type connectQueue struct {
	env         *env
	items       []queued
	level       *localapi.AccessLevel
	description *string
	form        *kit.Form
	// at is the graph that is asked for: -1 while the form is filled in, and
	// len(items) once all is over.
	at      int
	current *exchangeScreen
	scroll  kit.Scroll // of the summary
}

// queued is one graph of the queue.
type queued struct {
	graph    localapi.Graph
	nickname *string
	outcome  outcome
}

var (
	_ screen      = (*connectQueue)(nil)
	_ closer      = (*connectQueue)(nil)
	_ tokenHolder = (*connectQueue)(nil)
)

// newConnectQueue connects graphs that are not configured yet, in their order.
func newConnectQueue(e *env, graphs []localapi.Graph) *connectQueue {
	level, description := localapi.Full, e.options.Description
	q := &connectQueue{env: e, level: &level, description: &description, at: -1}
	fields := []kit.Field{levelField(&level), descriptionField(&description)}
	nicknames := suggestNicknames(e.roster.Config, graphs)
	for i, g := range graphs {
		q.items = append(q.items, queued{graph: g, nickname: &nicknames[i]})
		fields = append(fields, kit.TextField{
			Title: "Nickname of " + e.Glyphs.Cut(g.Name, 40), Limit: configstore.MaxNicknameLength, Value: &nicknames[i],
			Check: func() string { return q.env.words.Error(q.checkNickname(i)) },
		})
	}
	q.form = kit.NewForm(&e.Look, fields...)
	return q
}

// suggestNicknames makes a nickname for each graph; none is taken, and no two
// are the same.
func suggestNicknames(config configstore.Config, graphs []localapi.Graph) []string {
	config.Entries = slices.Clone(config.Entries)
	var nicknames []string
	for _, g := range graphs {
		nickname := manage.ProposedNickname(config, g)
		config.Entries = append(config.Entries, configstore.Entry{Name: g.Name, Type: g.Type, Nickname: nickname})
		nicknames = append(nicknames, nickname)
	}
	return nicknames
}

func (q *connectQueue) checkNickname(index int) error {
	nickname := *q.items[index].nickname
	if err := q.env.roster.Config.CheckNewNickname(q.items[index].graph, nickname); err != nil {
		return err
	}
	for i, other := range q.items {
		if i != index && configstore.SameNickname(*other.nickname, nickname) {
			return errors.New("here, " + other.graph.Name + " has this nickname too; choose another for one of them")
		}
	}
	return nil
}

func (q *connectQueue) title() string {
	switch {
	case q.at < 0:
		return "Connect " + kit.Plural(len(q.items), "graph")
	case q.current != nil:
		return "Connect " + kit.Plural(len(q.items), "graph") + ": " + q.progress()
	}
	return kit.Plural(len(q.items), "graph") + " asked for"
}

func (q *connectQueue) mode() mode {
	switch {
	case q.at < 0:
		return mode{typing: true}
	case q.current != nil:
		return q.current.mode()
	}
	return mode{allowsPanelKeys: true}
}

func (q *connectQueue) finish(ctx context.Context) error {
	if q.current == nil {
		return nil
	}
	return q.current.finish(ctx)
}

func (q *connectQueue) unsaved() bool { return q.current != nil && q.current.unsaved() }

func (q *connectQueue) update(msg tea.Msg) (action, tea.Cmd) {
	switch {
	case q.at < 0:
		return q.fill(msg)
	case q.current == nil:
		if texts, ok := msg.(textsMsg); ok {
			q.keepsNoTexts(texts)
		}
		return q.over(msg)
	}
	if press, ok := msg.(tea.KeyPressMsg); ok {
		return q.key(press)
	}
	if texts, ok := msg.(textsMsg); ok {
		q.keepsNoTexts(texts)
		return nil, nil
	}
	action, cmd := q.current.update(msg)
	if q.current.save.saved() {
		return action, tea.Batch(cmd, q.ask(q.at+1))
	}
	return action, cmd
}

// keepsNoTexts notes that no texts of a graph are kept. Nobody is asked about them here,
// where Roam asks about the next graph already.
func (q *connectQueue) keepsNoTexts(texts textsMsg) {
	for i := range q.items {
		if q.items[i].graph == texts.graph {
			q.items[i].outcome.reason = NoTextsText("it", texts.said) + " K in its details changes that."
		}
	}
}

// fill takes what is typed into the form.
func (q *connectQueue) fill(msg tea.Msg) (action, tea.Cmd) {
	left, sent := q.env.typeInto(q.form, msg)
	if !sent {
		return left, nil
	}
	return nil, q.ask(0)
}

func (q *connectQueue) key(press tea.KeyPressMsg) (action, tea.Cmd) {
	if key.Matches(press, q.env.keys.next) {
		if q.current.save.unsaved() {
			return nil, nil
		}
		return nil, q.ask(q.at + 1)
	}
	action, cmd := q.current.update(press)
	if _, left := action.(back); left {
		return nil, tea.Batch(cmd, q.stop())
	}
	return action, cmd
}

// over takes the keys of the summary.
func (q *connectQueue) over(msg tea.Msg) (action, tea.Cmd) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil, nil
	}
	switch {
	case q.scroll.HandleKey(q.env.keys.ScrollKeys, press):
		return nil, nil
	case key.Matches(press, q.env.keys.enter) && q.clientsNext():
		return show{viewClients}, nil
	case key.Matches(press, q.env.keys.done):
		return home{}, nil
	case key.Matches(press, q.env.keys.askAgain):
		if rest := q.rest(); len(rest) > 0 {
			return replace{newConnectQueue(q.env, rest)}, nil
		}
	}
	return nil, nil
}

// ask ends the exchange under way and begins that of the graph at the index, or
// of the next one after it that can be asked for.
func (q *connectQueue) ask(index int) tea.Cmd {
	closing := q.close()
	q.settle()
	for ; index < len(q.items); index++ {
		item := &q.items[index]
		refusal := q.env.words.Refusal(q.env.roster, q.env.roster.Graph(item.graph))
		if refusal == "" {
			authorization, err := q.authorize(item)
			if err == nil {
				q.at, q.current = index, q.newExchange(authorization)
				return tea.Batch(closing, q.current.start())
			}
			refusal = q.env.words.Error(err)
		}
		item.outcome = outcome{kind: notAsked, reason: refusal}
	}
	q.at = index
	return closing
}

// authorize prepares the request for a graph. A nickname that was taken since the
// form was sent is numbered.
func (q *connectQueue) authorize(item *queued) (manage.Authorization, error) {
	config, nickname := q.env.roster.Config, *item.nickname
	if config.CheckNewNickname(item.graph, nickname) != nil {
		nickname = config.UniqueNickname(strings.TrimSpace(nickname))
	}
	return manage.Connect(config, item.graph, manage.Options{Nickname: nickname, AccessLevel: *q.level, Description: typedDescription(*q.description)})
}

func (q *connectQueue) newExchange(authorization manage.Authorization) *exchangeScreen {
	s := newExchangeScreen(q.env, authorization)
	s.stays = true
	s.leaveUnsaved = func() (action, tea.Cmd) {
		if q.current != s {
			return back{}, nil
		}
		return back{}, q.ask(q.at + 1)
	}
	return s
}

// settle notes what became of the exchange that is shown, and shows it no more.
func (q *connectQueue) settle() {
	if q.current != nil {
		q.items[q.at].outcome = q.current.outcome()
		q.current = nil
	}
}

// stop asks for no more graphs.
func (q *connectQueue) stop() tea.Cmd {
	closing := q.close()
	q.settle()
	q.at = len(q.items)
	return closing
}

// rest are the graphs that are still not connected and can be asked for.
func (q *connectQueue) rest() []localapi.Graph {
	var rest []localapi.Graph
	for _, item := range q.items {
		if q.env.words.Refusal(q.env.roster, q.env.roster.Graph(item.graph)) == "" {
			rest = append(rest, item.graph)
		}
	}
	return rest
}

// close implements closer.
func (q *connectQueue) close() tea.Cmd {
	if q.current == nil {
		return nil
	}
	return q.current.close()
}
