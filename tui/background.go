package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

const (
	tickInterval  = time.Second
	pollInterval  = 2 * time.Second
	pollTimeout   = 5 * time.Second
	checkInterval = time.Minute
	checkTimeout  = 10 * time.Second
	// checksPerTick bounds the checks of tokens that are not in sight, so that a
	// thousand graphs keep neither Roam nor this program busy.
	checksPerTick = 4
)

// Messages of the background work.
type (
	tickMsg   struct{}
	configMsg struct {
		events <-chan configstore.Event
		event  configstore.Event
		open   bool
	}
	polledMsg  struct{ roam manage.RoamStatus }
	checkedMsg struct {
		entry configstore.Entry
		check manage.Check
		// scheduled is set if checkTokens asked, one token after another.
		scheduled bool
	}
	deskMsg struct {
		updates  <-chan []AccessRequest
		requests []AccessRequest
		open     bool
	}
	answeredMsg struct{ err error }
)

// backgroundWork is the state of what goes on whatever the screen: the configuration
// is watched, Roam polled, tokens are checked, and the sandbox's requests are
// watched.
type backgroundWork struct {
	checking         bool
	hiddenChecksLeft int // how many tokens out of sight may be checked before the next tick
}

func (r *root) startBackground() tea.Cmd {
	env := r.env
	ctx, graphs := env.ctx, env.ports.Graphs
	cmds := []tea.Cmd{
		func() tea.Msg { return nextConfig(graphs.Watch(ctx, 0)) },
		r.env.roam.poll(),
		env.path.look(),
		env.after(tickInterval, tickMsg{}),
	}
	if desk := env.ports.Desk; desk != nil {
		cmds = append(cmds, func() tea.Msg { return nextRequests(desk.Watch(ctx)) })
	}
	return tea.Batch(cmds...)
}

func nextConfig(events <-chan configstore.Event) tea.Msg {
	event, open := <-events
	return configMsg{events, event, open}
}

func nextRequests(updates <-chan []AccessRequest) tea.Msg {
	requests, open := <-updates
	return deskMsg{updates, requests, open}
}

// handleBackground handles the messages of the background work.
func (r *root) handleBackground(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tickMsg:
		return r.tick()
	case configMsg:
		if !msg.open {
			return nil
		}
		before := r.env.config.state()
		r.env.roster.SetConfig(msg.event.Config, msg.event.Err)
		r.dropStaleNotice(before != r.env.config.state())
		events := msg.events
		return tea.Batch(func() tea.Msg { return nextConfig(events) }, r.checkTokens())
	case polledMsg:
		before := r.env.roster.Roam
		r.env.roam.answered(msg.roam)
		r.dropStaleNotice(before.Known && before.Answers() != msg.roam.Answers())
		return r.checkTokens()
	case checkedMsg:
		if msg.scheduled {
			r.work.checking = false
		}
		r.env.roster.SetCheck(msg.entry, msg.check)
		return r.checkTokens()
	case deskMsg:
		if !msg.open {
			return nil
		}
		r.panel.requests = msg.requests
		updates := msg.updates
		return func() tea.Msg { return nextRequests(updates) }
	case clientsMsg:
		r.env.path.clients = &msg
	case clientListMsg:
		stand := clientsStand(msg.all, r.env.now)
		r.env.path.clients = &stand
	case answeredMsg:
		if msg.err != nil {
			r.notice = r.env.errorNotice(msg.err)
		}
	case kit.CopiedMsg:
		r.notice = notice{msg.Sentence(), noticeSuccess}
		if msg.Err != nil {
			r.notice.kind = noticeInfo
		}
	case openedMsg:
		if msg.err != nil {
			r.notice = notice{"Roam could not be opened from here. Start it by hand.", noticeFailure}
		}
	case editedMsg:
		if msg.err != nil {
			r.notice = notice{"The editor could not be run: " + kit.Sanitize(msg.err.Error()) + ". VISUAL and EDITOR in the environment name another one.", noticeFailure}
		}
	case mendedMsg:
		r.writeDone(nil)
	case configWrittenMsg:
		r.writeDone(msg.err)
		return r.handleStored(msg)
	case importedMsg:
		r.writeDone(msg.err)
	case clientsWrittenMsg:
		r.writeDone(nil)
	case placedMsg:
		r.writeDone(msg.err)
	case exchangeClosedMsg:
		r.writeDone(nil)
		return r.saveLateGrant(msg)
	}
	return nil
}

// dropStaleNotice takes away a notice that was about a state which has changed. One that
// says what was done stays.
func (r *root) dropStaleNotice(changed bool) {
	if changed && r.notice.kind != noticeSuccess && !r.quitAfterWrites && r.quitWarned == "" {
		r.notice = notice{}
	}
}

func (r *root) tick() tea.Cmd {
	next := tea.Batch(r.env.after(tickInterval, tickMsg{}), r.allowHiddenChecks(checksPerTick))
	if r.top().mode().polls && r.env.roam.due() {
		return tea.Batch(next, r.env.roam.poll())
	}
	return next
}

// writeDone takes a write off pendingWrites. Its failure ends the quitting that
// waited for it.
func (r *root) writeDone(err error) {
	r.env.pendingWrites--
	if err != nil && r.quitAfterWrites {
		r.quitAfterWrites, r.next, r.notice = false, Quit, r.env.errorNotice(err)
	}
}

func (r *root) handleStored(msg configWrittenMsg) tea.Cmd {
	if msg.loadErr == nil {
		r.env.roster.SetConfig(msg.config, nil)
	}
	for _, removed := range msg.removed {
		r.env.config.removed.Add(removed)
	}
	done := notice{msg.done, noticeSuccess}
	switch {
	case msg.kept != nil:
		return nil
	case msg.putBack != nil:
		done = r.env.config.putBackNotice(*msg.putBack, msg.err)
	case msg.err != nil && msg.late:
		done.kind = noticeFailure
	case msg.err != nil:
		r.notice = r.env.errorNotice(msg.err)
		return nil
	}
	if done.text != "" {
		r.notice = done
	}
	if len(msg.renamed) > 0 {
		follow := action(open{newFollowingChanges(r.env, msg.renamed)})
		if _, typed := r.top().(renameDialog); typed {
			follow = replace{newFollowingChanges(r.env, msg.renamed)}
		}
		return tea.Batch(r.checkTokens(), r.perform(r.top(), follow))
	}
	return r.checkTokens()
}

// allowHiddenChecks lets up to most tokens out of sight be checked before it is
// called again.
func (r *root) allowHiddenChecks(most int) tea.Cmd {
	r.work.hiddenChecksLeft = most
	return r.checkTokens()
}

// checkTokens asks Roam about the token that was checked longest ago, those in sight
// first. Each answer asks about the next one, until all are fresh.
func (r *root) checkTokens() tea.Cmd {
	e := r.env
	if r.work.checking || !e.roster.Roam.Answers() || !r.top().mode().polls {
		return nil
	}
	due, ok := e.roster.Due(e.now, r.visibleEntries())
	if !ok && r.work.hiddenChecksLeft > 0 {
		if due, ok = e.roster.Due(e.now, e.roster.Config.Entries); ok {
			r.work.hiddenChecksLeft--
		}
	}
	if !ok {
		return nil
	}
	r.work.checking = true
	return e.roam.checkToken(due, true)
}

// visibleEntries returns the configured graphs that the list shows.
func (r *root) visibleEntries() []configstore.Entry {
	list, ok := r.top().(*graphList)
	if !ok {
		return nil
	}
	var entries []configstore.Entry
	from, to := list.list.InSight()
	rows := list.rows()
	for _, r := range rows[min(from, len(rows)):min(to, len(rows))] {
		if r.Connected {
			entries = append(entries, r.Entry)
		}
	}
	return entries
}
