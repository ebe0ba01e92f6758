package kit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/huh/v2"
)

// Form is a huh form that moves between its fields at once, and checks each while it
// is typed. huh moves by commands, so that a key typed ahead would reach the field
// before the move.
type Form struct {
	look    *Look
	huh     *huh.Form
	fields  []Field
	inputs  []*textInput
	at      int
	refused bool // the last key was refused: its reason is drawn as an error
}

// Field is a field of a form: a TextField or a Choice.
type Field interface {
	field(*Look) huh.Field
	// problem returns a sentence on what is wrong with the value, or "".
	problem() string
}

// Choice is a field in which one of the options is chosen.
type Choice[T comparable] struct {
	Title, Description string
	Options            []T
	Label              func(T) string // returns the text of an option
	Value              *T             // the chosen option, also at first
}

func (c Choice[T]) field(*Look) huh.Field {
	options := make([]huh.Option[T], len(c.Options))
	for i, o := range c.Options {
		options[i] = huh.NewOption(c.Label(o), o)
	}
	return huh.NewSelect[T]().Title(c.Title).Description(c.Description).Options(options...).Value(c.Value)
}

func (Choice[T]) problem() string { return "" }

// NewForm returns a form with the first field focused. It is drawn with the colours
// that l has at the time.
func NewForm(l *Look, fields ...Field) *Form {
	f := &Form{look: l, fields: fields}
	var inner []huh.Field
	for _, field := range fields {
		inner = append(inner, field.field(l))
		if input, ok := inner[len(inner)-1].(*textInput); ok {
			f.inputs = append(f.inputs, input)
		}
	}
	keymap := huh.NewDefaultKeyMap()
	keymap.Quit.SetEnabled(false) // ctrl+c belongs to the program
	keymap.Select.Filter.SetEnabled(false)
	// huh asks for the styles in every frame and for every option.
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

// Update handles a key or pasted text, and ignores every other message. It reports
// whether the form was submitted: by enter in any field, with nothing wrong in any.
func (f *Form) Update(msg tea.Msg) (submitted bool) {
	press, ok := msg.(tea.KeyPressMsg)
	if !ok {
		if _, pasted := msg.(tea.PasteMsg); pasted {
			f.huh.Update(msg)
		}
		return false
	}
	f.refused = false
	switch press.String() {
	case "enter", "tab":
		if f.problem() != "" {
			f.refused = true
			return false
		}
		if press.String() == "enter" {
			return f.valid()
		}
		f.moveTo(min(f.at+1, len(f.fields)-1))
	case "shift+tab":
		f.moveTo(max(f.at-1, 0))
	default:
		f.huh.Update(msg)
	}
	return false
}

// valid reports whether nothing is wrong in any field, and focuses the first that is
// wrong: a nickname that was free when it was typed may be taken by now.
func (f *Form) valid() bool {
	for i, field := range f.fields {
		if field.problem() != "" {
			f.moveTo(i)
			f.refused = true
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

// Focused returns the index of the focused field.
func (f *Form) Focused() int { return f.at }

// OnLast reports whether the last field is focused.
func (f *Form) OnLast() bool { return f.at == len(f.fields)-1 }

func (f *Form) problem() string { return f.fields[f.at].problem() }

// RoomyHeight is the least height in which every field has its description. In less,
// only the focused one has.
const RoomyHeight = 15

// View returns the form as the body of a screen: the intro, which may be empty, the
// fields, and what is wrong with the focused one.
func (f *Form) View(intro string, width, height int) []string {
	var lines []string
	if intro != "" {
		lines = append(Paragraph(f.look.Theme.Muted, intro, width), "")
	}
	return append(lines, Indent(f.viewFields(width-2*margin, height-len(lines)), margin)...)
}

func (f *Form) viewFields(width, height int) []string {
	problem := f.viewProblem(width)
	for _, input := range f.inputs {
		input.terse = height < RoomyHeight
	}
	f.huh.WithWidth(min(width, ProseWidth))
	f.huh.WithHeight(max(height-len(problem), 3))
	// Any message makes huh draw its fields anew, with the present theme.
	f.huh.Update(nil)
	return append(strings.Split(strings.TrimRight(f.huh.View(), "\n "), "\n"), problem...)
}

func (f *Form) viewProblem(width int) []string {
	problem, style := f.problem(), f.look.Theme.Muted
	if problem == "" {
		return nil
	}
	if f.refused {
		style = f.look.Theme.Danger
	}
	lines := WrapStyled(style, problem, min(width, ProseWidth)-2)
	return append([]string{""}, Hang(style.Render(f.look.Glyphs.Failed)+" ", lines)...)
}
