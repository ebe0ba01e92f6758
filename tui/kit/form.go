package kit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// Form is a huh form in which every step is taken at once: huh moves between
// fields by commands, and a key typed ahead would reach the field before the
// move. It also checks each field while it is typed.
type Form struct {
	look   *Look
	huh    *huh.Form
	fields []Field
	inputs []*textInput
	at     int
	// SubmitFrom is the index of the field from which on enter sends the form; at
	// first that of the last field.
	SubmitFrom int
	failed     bool // enter was refused: the reason is drawn as an error
}

// Field is one field of a form: a textField or a choice.
type Field interface {
	field(*Look) huh.Field
	// problem says in a sentence what is wrong with the value; empty for nothing.
	problem() string
}

// Choice is a field of a form in which one of the options is chosen.
type Choice[T comparable] struct {
	Title, Description string
	Options            []T
	Label              func(T) string // how an option is shown
	Value              *T
}

func (c Choice[T]) field(*Look) huh.Field {
	options := make([]huh.Option[T], len(c.Options))
	for i, o := range c.Options {
		options[i] = huh.NewOption(c.Label(o), o)
	}
	return huh.NewSelect[T]().Title(c.Title).Description(c.Description).Options(options...).Value(c.Value)
}

func (Choice[T]) problem() string { return "" }

func NewForm(l *Look, fields ...Field) *Form {
	f := &Form{look: l, fields: fields, SubmitFrom: len(fields) - 1}
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
	var colors Palette
	theme := huh.ThemeFunc(func(bool) *huh.Styles {
		if styles == nil || colors != l.Theme.Colors {
			styles, colors = l.Theme.huhStyles(l.Glyphs), l.Theme.Colors
		}
		return styles
	})
	f.huh = huh.NewForm(huh.NewGroup(inner...)).
		WithTheme(theme).WithKeyMap(keymap).WithShowHelp(false).WithShowErrors(false).WithWidth(60)
	// Its commands only animate the cursor and ask for what is known here.
	f.huh.Init()
	return f
}

// Update takes a key or pasted text, and ignores all else. It reports whether the
// form was sent: with enter, and with nothing wrong in any field.
func (f *Form) Update(msg tea.Msg) (sent bool) {
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
		if press.String() == "enter" && f.at >= f.SubmitFrom {
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
func (f *Form) complete() bool {
	for i, field := range f.fields {
		if field.problem() != "" {
			f.moveTo(i)
			f.failed = true
			return false
		}
	}
	return true
}

func (f *Form) moveTo(index int) {
	for ; f.at < index; f.at++ {
		f.huh.NextField()
	}
	for ; f.at > index; f.at-- {
		f.huh.PrevField()
	}
}

// Focused is the index of the field that is typed in.
func (f *Form) Focused() int { return f.at }

// OnLast reports whether the last field is typed in.
func (f *Form) OnLast() bool { return f.at == len(f.fields)-1 }

// problem is what is wrong with the field that is typed in.
func (f *Form) problem() string { return f.fields[f.at].problem() }

// RoomyHeight is the height from which on every field says what it is for; below it
// only the one that is typed in does.
const RoomyHeight = 15

// View draws the fields and, under them, what is wrong with the present one.
func (f *Form) View(width, height int) []string {
	wrong := f.wrong(width)
	for _, input := range f.inputs {
		input.terse = height < RoomyHeight
	}
	f.huh.WithWidth(min(width, ProseWidth))
	f.huh.WithHeight(max(height-len(wrong), 3))
	// Any message makes huh draw its fields anew, with the present theme.
	f.huh.Update(nil)
	return append(strings.Split(strings.TrimRight(f.huh.View(), "\n "), "\n"), wrong...)
}

// wrong are the lines on what is wrong with the field that is typed in.
func (f *Form) wrong(width int) []string {
	problem := f.problem()
	if problem == "" {
		return nil
	}
	style := f.look.Theme.Muted
	if f.failed {
		style = f.look.Theme.Danger
	}
	lines := []string{""}
	glyph := style.Render(f.look.Glyphs.Failed) + " "
	for _, line := range WrapStyled(style, problem, min(width, ProseWidth)-2) {
		lines = append(lines, glyph+line)
		glyph = "  "
	}
	return lines
}
