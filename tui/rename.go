package tui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/localapi"
	"roam-mcp/tui/kit"
)

// renameForm gives a graph another nickname. A clash is shown while it is typed.
type renameForm struct {
	env      *env
	entry    configstore.Entry
	nickname *string
	form     *kit.Form
	saving   int // id of the write under way, or 0
}

var _ screen = (*renameForm)(nil)

func newRenameForm(e *env, entry configstore.Entry) *renameForm {
	s := &renameForm{env: e, entry: entry, nickname: &entry.Nickname}
	s.entry = entry
	name := entry.Nickname
	s.nickname = &name
	s.form = kit.NewForm(&e.Look, nicknameField(e, entry.Graph(), &name))
	return s
}

// nicknameField returns the field for a graph's nickname.
func nicknameField(e *env, g localapi.Graph, value *string) kit.TextField {
	return kit.TextField{
		Title: "Nickname", Description: "What you and your agents call this graph.", Limit: configstore.MaxNicknameLength, Value: value,
		Check: func() string { return e.errorText(e.config.CheckNickname(g, *value)) },
	}
}

func (s *renameForm) title() string { return "Rename " + s.env.Glyphs.Cut(s.entry.Nickname, 32) }

func (s *renameForm) mode() mode { return mode{typing: true} }

func (s *renameForm) update(msg tea.Msg) (action, tea.Cmd) {
	if stored, ok := msg.(configWrittenMsg); ok && stored.id == s.saving && s.saving != 0 {
		s.saving = 0
		if stored.err == nil {
			return back{}, nil
		}
		return nil, nil
	}
	left, sent := s.env.typeInto(s.form, msg)
	if !sent || s.saving != 0 {
		return left, nil
	}
	from := s.entry.Nickname
	to, err := configstore.NormalizeNickname(*s.nickname)
	if err != nil || to == from {
		return back{}, nil
	}
	id, cmd := s.env.writeConfig(from+" is now "+to+". Saved in "+s.env.configPath()+".", func(ctx context.Context, store Store) error {
		return store.Rename(ctx, from, to)
	})
	s.saving = id
	return nil, cmd
}

func (s *renameForm) keys() []key.Binding {
	return []key.Binding{kit.Relabel(s.env.keys.enter, "rename"), kit.Relabel(s.env.keys.esc, "cancel")}
}

func (s *renameForm) view(width, height int) []string {
	return s.form.View(s.entry.Name+", "+string(s.entry.Type), width, height)
}
