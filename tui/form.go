package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// form is a huh form in which every step is taken at once: huh moves between
// fields by commands, and a key typed ahead would reach the field before the
// move. It also checks each field while it is typed.
type form struct {
	look   *look
	huh    *huh.Form
	fields []field
	inputs []*textInput
	at     int
	// sendsFrom is the index of the field from which on enter sends the form; at
	// first that of the last field.
	sendsFrom int
	failed    bool // enter was refused: the reason is drawn as an error
}

// field is one field of a form: a textField or a choice.
type field interface {
	field(*look) huh.Field
	// problem says in a sentence what is wrong with the value; empty for nothing.
	problem() string
}

// choice is a field of a form in which one of the options is chosen.
type choice[T comparable] struct {
	title, description string
	options            []T
	label              func(T) string // how an option is shown
	value              *T
}

func (c choice[T]) field(*look) huh.Field {
	options := make([]huh.Option[T], len(c.options))
	for i, o := range c.options {
		options[i] = huh.NewOption(c.label(o), o)
	}
	return huh.NewSelect[T]().Title(c.title).Description(c.description).Options(options...).Value(c.value)
}

func (choice[T]) problem() string { return "" }

func newForm(l *look, fields ...field) *form {
	f := &form{look: l, fields: fields, sendsFrom: len(fields) - 1}
	var inner []huh.Field
	for _, field := range fields {
		inner = append(inner, field.field(l))
		if input, ok := inner[len(inner)-1].(*textInput); ok {
			f.inputs = append(f.inputs, input)
		}
	}
	keymap := huh.NewDefaultKeyMap()
	keymap.Quit.SetEnabled(false) // ctrl+c is the root's
	keymap.Select.Filter.SetEnabled(false)
	// Asked for in every frame and for every option.
	var styles *huh.Styles
	var colors palette
	theme := huh.ThemeFunc(func(bool) *huh.Styles {
		if styles == nil || colors != l.theme.colors {
			styles, colors = l.theme.form(l.glyphs), l.theme.colors
		}
		return styles
	})
	f.huh = huh.NewForm(huh.NewGroup(inner...)).
		WithTheme(theme).WithKeyMap(keymap).WithShowHelp(false).WithShowErrors(false).WithWidth(60)
	// Its commands only animate the cursor and ask for what is known here.
	f.huh.Init()
	return f
}

// update takes a key or pasted text, and ignores all else. It reports whether the
// form was sent: with enter, and with nothing wrong in any field.
func (f *form) update(msg tea.Msg) (sent bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		if _, pasted := msg.(tea.PasteMsg); pasted {
			f.huh.Update(msg)
		}
		return false
	}
	f.failed = false
	switch press.String() {
	case "enter", "tab":
		if f.problem() != "" {
			f.failed = true
			return false
		}
		if press.String() == "enter" && f.at >= f.sendsFrom {
			return f.complete()
		}
		f.moveTo(min(f.at+1, len(f.fields)-1))
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
	for i, field := range f.fields {
		if field.problem() != "" {
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

// focused is the index of the field that is typed in.
func (f *form) focused() int { return f.at }

// onLast reports whether the last field is typed in.
func (f *form) onLast() bool { return f.at == len(f.fields)-1 }

// problem is what is wrong with the field that is typed in.
func (f *form) problem() string { return f.fields[f.at].problem() }

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
	problem := f.problem()
	if problem == "" {
		return nil
	}
	style := f.look.theme.muted
	if f.failed {
		style = f.look.theme.danger
	}
	lines := []string{""}
	glyph := style.Render(f.look.glyphs.bad) + " "
	for _, line := range render(style, problem, min(width, proseWidth)-2) {
		lines = append(lines, glyph+line)
		glyph = "  "
	}
	return lines
}
