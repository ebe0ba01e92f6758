package tui

import (
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// form is a huh form in which every step is taken at once: huh moves between
// fields by commands, and a key typed ahead would reach the field before the
// move. It also checks each field while it is typed.
type form struct {
	env    *env
	huh    *huh.Form
	inputs []*textField
	checks []func() error // one for each field
	at     int
	// sendsFrom is the field from which on enter sends the form.
	sendsFrom int
	failed    bool // enter was refused: the reason is drawn as an error
}

// field is one field of a form. check looks at the bound value, and may be nil.
type field struct {
	huh.Field
	check func() error
}

func newForm(e *env, fields ...field) *form {
	f := &form{env: e}
	var inner []huh.Field
	for _, field := range fields {
		inner = append(inner, field.Field)
		f.checks = append(f.checks, field.check)
		if input, ok := field.Field.(*textField); ok {
			f.inputs = append(f.inputs, input)
		}
	}
	f.sendsFrom = len(fields) - 1
	keymap := huh.NewDefaultKeyMap()
	keymap.Quit.SetEnabled(false) // ctrl+c is the root's
	keymap.Select.Filter.SetEnabled(false)
	// Asked for in every frame and for every option.
	var styles *huh.Styles
	var colors palette
	theme := huh.ThemeFunc(func(bool) *huh.Styles {
		if styles == nil || colors != e.theme.colors {
			styles, colors = e.theme.form(e.glyphs), e.theme.colors
		}
		return styles
	})
	f.huh = huh.NewForm(huh.NewGroup(inner...)).
		WithTheme(theme).WithKeyMap(keymap).WithShowHelp(false).WithShowErrors(false).WithWidth(60)
	// Its commands only animate the cursor and ask for what is known here.
	f.huh.Init()
	return f
}

// take gives the form what a person types or pastes, and ignores all else. esc
// leaves the screen; sent tells that the form was sent.
func (f *form) take(msg tea.Msg) (left action, sent bool) {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		if key.Matches(msg, f.env.keys.esc) {
			return back{}, false
		}
	case tea.PasteMsg:
	default:
		return nil, false
	}
	return nil, f.update(msg)
}

// update takes a key or pasted text; done tells that the form was sent: with
// enter, and with nothing wrong in any field.
func (f *form) update(msg tea.Msg) (done bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		f.huh.Update(msg)
		return false
	}
	f.failed = false
	switch press.String() {
	case "enter", "tab":
		if f.err() != nil {
			f.failed = true
			return false
		}
		if press.String() == "enter" && f.at >= f.sendsFrom {
			return f.complete()
		}
		f.moveTo(min(f.at+1, len(f.checks)-1))
	case "shift+tab":
		f.moveTo(max(f.at-1, 0))
	default:
		f.huh.Update(msg)
	}
	return false
}

// complete reports whether nothing is wrong in any field, and moves to the first
// one that is: what was right when it was typed may be taken by now.
func (f *form) complete() bool {
	for i, check := range f.checks {
		if check != nil && check() != nil {
			f.moveTo(i)
			f.failed = true
			return false
		}
	}
	return true
}

func (f *form) moveTo(index int) {
	for ; f.at < index; f.at++ {
		f.huh.NextField()
	}
	for ; f.at > index; f.at-- {
		f.huh.PrevField()
	}
}

// err is what is wrong with the field that is typed in.
func (f *form) err() error {
	if check := f.checks[f.at]; check != nil {
		return check()
	}
	return nil
}

// roomy is the height from which on every field says what it is for; below it
// only the one that is typed in does.
const roomy = 15

// view draws the fields and, under them, what is wrong with the present one.
func (f *form) view(width, height int) []string {
	wrong := f.wrong(width)
	for _, input := range f.inputs {
		input.terse = height < roomy
	}
	f.huh.WithWidth(min(width, proseWidth))
	f.huh.WithHeight(max(height-len(wrong), 3))
	// Any message makes huh draw its fields anew, with the present theme.
	f.huh.Update(nil)
	return append(strings.Split(strings.TrimRight(f.huh.View(), "\n "), "\n"), wrong...)
}

// wrong are the lines on what is wrong with the field that is typed in.
func (f *form) wrong(width int) []string {
	e, err := f.env, f.err()
	if err == nil {
		return nil
	}
	what, todo := explain(err)
	style := e.theme.muted
	if f.failed {
		style = e.theme.danger
	}
	lines := []string{""}
	glyph := style.Render(e.glyphs.bad) + " "
	for _, line := range render(style, strings.TrimSpace(what+" "+todo), min(width, proseWidth)-2) {
		lines = append(lines, glyph+line)
		glyph = "  "
	}
	return lines
}
