package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/problem"
	"roam-mcp/tui/kit"
)

// saveTimeout bounds one try to save a token, the wait for other writers included.
const saveTimeout = 15 * time.Second

// saving brings a granted token into the configuration. It ends in saved, or
// in failed with the token still here.
type saving struct {
	stage   saveStage
	id      int
	entry   configstore.Entry
	err     error
	rescued string // the file that keeps the token when the configuration can't
}

type saveStage uint8

const (
	notGranted saveStage = iota
	underWay
	saveFailed
	rescued
	saved
)

type rescuedMsg struct {
	id   int
	path string
	err  error
}

// unsaved reports whether there is a token that leaving would lose.
func (s *saving) unsaved() bool { return s.stage == underWay || s.stage == saveFailed }

// begin saves the entry. The save is not cut short when the screen is left.
func (s *saving) begin(e *env, entry configstore.Entry) tea.Cmd {
	s.stage, s.id, s.entry, s.err = underWay, e.nextID(), entry, nil
	id, ctx, store := s.id, context.WithoutCancel(e.ctx), e.ports.Store
	return e.trackWrite(func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, saveTimeout)
		defer cancel()
		err := store.Save(ctx, entry)
		config, loadErr := store.Load(ctx)
		return configWrittenMsg{id: id, err: err, config: config, loadErr: loadErr, quiet: true}
	})
}

// saveLateGrant saves a token that Roam granted in the moment in which its exchange
// was left. Where the program is about to end, Run looks after it.
func (r *root) saveLateGrant(msg exchangeClosedMsg) tea.Cmd {
	s := msg.screen
	if msg.machine.State != exchange.Granted || s.save.stage != notGranted || r.quitting {
		return nil
	}
	s.machine = msg.machine
	entry, rescue := s.grantedEntry(), r.env.ports.Rescue
	done := "Roam granted " + entry.Name + " in that moment. Saved as “" + entry.Nickname + "” in " + r.env.configPath() + "."
	_, cmd := r.env.writeConfig(done, func(ctx context.Context, store Store) error {
		err := store.Save(ctx, entry)
		if err == nil || rescue == nil {
			return err
		}
		path, rescueErr := rescue(entry)
		if rescueErr != nil {
			return errors.Join(err, rescueErr)
		}
		return &problem.Error{
			Code:    problem.CodeFailed,
			Message: fmt.Sprintf("Roam granted %s in that moment, and the token could not be saved; it is kept in %s.", entry.Name, path),
			Hint:    problem.Say("This takes it over: %s", problem.Run("import", path)), Err: err,
		}
	})
	return cmd
}

func (s *saving) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case configWrittenMsg:
		if msg.id != s.id || s.stage != underWay {
			return nil
		}
		s.stage, s.err = saved, msg.err
		if msg.err != nil {
			s.stage = saveFailed
		}
	case rescuedMsg:
		if msg.id != s.id {
			return nil
		}
		if msg.err != nil {
			s.err = msg.err
			return nil
		}
		s.stage, s.rescued = rescued, msg.path
	}
	return nil
}

func (s *saving) keys(e *env) []key.Binding {
	k := e.keys
	switch s.stage {
	case saved:
		if s.entry.Disabled { // nobody can call it
			return []key.Binding{k.done, kit.Relabel(k.clients, "connect a client")}
		}
		return []key.Binding{k.done, k.test, kit.Relabel(k.clients, "connect a client")}
	case saveFailed:
		out := []key.Binding{kit.Relabel(k.test, "try again")}
		if problem.CodeOf(s.err) == configstore.CodeNicknameTaken {
			out = append(out, kit.Relabel(k.saveRenamed, "save as "+e.Glyphs.Cut(e.config.UniqueNickname(s.entry.Nickname), 20)))
		}
		if e.ports.Rescue != nil {
			out = append(out, k.saveElsewhere)
		}
		return append(out, kit.Relabel(k.esc, "leave"))
	case rescued:
		return []key.Binding{kit.Relabel(k.test, "try again"), k.esc}
	case notGranted, underWay:
	}
	return []key.Binding{k.esc}
}

func (s *saving) key(e *env, press tea.KeyPressMsg) (action, tea.Cmd) {
	k := e.keys
	if s.stage == saved {
		switch {
		case key.Matches(press, k.done):
			return home{}, nil
		case key.Matches(press, k.test):
			return open{newClientsScreen(e, s.entry.Nickname).startWithProof()}, nil
		case s.entry.Disabled:
			return open{newClientsScreen(e, "")}, nil
		}
		return open{newClientsScreen(e, s.entry.Nickname)}, nil
	}
	switch {
	case key.Matches(press, k.test):
		return nil, s.begin(e, s.entry)
	case key.Matches(press, k.saveRenamed):
		entry := s.entry
		entry.Nickname = e.config.UniqueNickname(entry.Nickname)
		return nil, s.begin(e, entry)
	case key.Matches(press, k.saveElsewhere):
		id, entry, rescue := s.id, s.entry, e.ports.Rescue
		return nil, func() tea.Msg {
			path, err := rescue(entry)
			return rescuedMsg{id, path, err}
		}
	}
	return nil, nil
}

// status adds to the screen of a grant what became of the token.
func (s *saving) status(e *env, st status) status {
	what, todo := e.explain(s.err)
	switch s.stage {
	case saved:
		st.text = append(st.text, "Saved as “"+s.entry.Nickname+"” in "+e.configPath()+".")
		if s.entry.Disabled {
			st.text = append(st.text, "It stays disabled: agents can't reach it until you enable it.")
		}
	case saveFailed:
		st.glyph, st.style, st.headline = e.Glyphs.Warning, e.Theme.Warning, "Granted, but not saved"
		st.text = append(st.text, what, todo, "The token is kept here until you leave this screen; Roam shows it only once.")
	case rescued:
		st.glyph, st.style, st.headline = e.Glyphs.Warning, e.Theme.Warning, "Granted, and kept in a file of its own"
		takeOver := e.command(problem.Run("import", s.rescued))
		if start, unquoted := strings.CutSuffix(takeOver, s.rescued); unquoted { // in quotes, ~ would mean nothing
			takeOver = start + e.shortPath(s.rescued)
		}
		st.text = append(st.text, "The token is in "+e.shortPath(s.rescued)+", readable by you alone.",
			"Once "+e.configPath()+" can be written, this takes it over: "+takeOver)
	case notGranted, underWay:
		st.text = append(st.text, "Saving it in "+e.configPath()+e.Glyphs.Ellipsis)
	}
	return st
}
