package kit

import (
	"image/color"

	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
)

// Palette is the colours, by their use. Nothing else names a colour.
type Palette struct {
	Text, Muted, Faint        color.Color
	Accent, AccentMuted, Link color.Color
	Success, Warning, Danger  color.Color
	Border                    color.Color
	// Selection is the ground of the selected row, OnSelection its text.
	Selection, OnSelection color.Color
	// Raised is the ground of what is set apart within a text, such as code.
	Raised color.Color
}

func darkPalette() Palette {
	return Palette{
		Text: lipgloss.NoColor{}, Muted: lipgloss.Color("#A3A9B5"), Faint: lipgloss.Color("#868D9A"),
		Accent: lipgloss.Color("#7CB7FF"), AccentMuted: lipgloss.Color("#6490C9"), Link: lipgloss.Color("#7CB7FF"),
		Success: lipgloss.Color("#7FCB8F"), Warning: lipgloss.Color("#E5BE6A"), Danger: lipgloss.Color("#F08A8A"),
		Border:    lipgloss.Color("#666A70"),
		Selection: lipgloss.Color("#1F4A7D"), OnSelection: lipgloss.Color("#FFFFFF"), Raised: lipgloss.Color("#303030"),
	}
}

func lightPalette() Palette {
	return Palette{
		Text: lipgloss.NoColor{}, Muted: lipgloss.Color("#545B66"), Faint: lipgloss.Color("#636568"),
		Accent: lipgloss.Color("#0B5CAD"), AccentMuted: lipgloss.Color("#38699A"), Link: lipgloss.Color("#0B5CAD"),
		Success: lipgloss.Color("#166D34"), Warning: lipgloss.Color("#6B5E00"), Danger: lipgloss.Color("#B3261E"),
		Border:    lipgloss.Color("#848D9A"),
		Selection: lipgloss.Color("#C9E0FA"), OnSelection: lipgloss.Color("#0A2540"), Raised: lipgloss.Color("#E4E4E4"),
	}
}

// Theme is the palette as text styles.
type Theme struct {
	Colors                        Palette
	Text, Strong, Muted, Faint    lipgloss.Style
	Accent, AccentMuted, Link     lipgloss.Style
	Success, Warning, Danger      lipgloss.Style
	Border, Button, FocusedButton lipgloss.Style
	// Selected is the text of the selected row, SelectionBar the bar before it, and
	// Dimmed what a dialog covers.
	Selected, SelectionBar, Dimmed lipgloss.Style
}

// NewTheme returns the theme for a dark background, or a light one.
func NewTheme(dark bool) Theme {
	colors := lightPalette()
	if dark {
		colors = darkPalette()
	}
	of := func(c color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(c) }
	selected := of(colors.OnSelection).Background(colors.Selection)
	return Theme{
		Colors: colors,
		Text:   of(colors.Text), Strong: of(colors.Text).Bold(true), Muted: of(colors.Muted), Faint: of(colors.Faint),
		Accent: of(colors.Accent).Bold(true), AccentMuted: of(colors.AccentMuted), Link: of(colors.Link),
		Success: of(colors.Success), Warning: of(colors.Warning), Danger: of(colors.Danger),
		Border:        of(colors.Border),
		Button:        of(colors.Muted).Padding(0, 2),
		FocusedButton: selected.Bold(true).Padding(0, 2),
		Selected:      selected, SelectionBar: of(colors.Accent).Background(colors.Selection),
		Dimmed: of(colors.Border),
	}
}

// huhStyles returns the theme as huh wants it.
func (t Theme) huhStyles(g Glyphs) *huh.Styles {
	s := huh.ThemeBase(true)
	s.FieldSeparator = lipgloss.NewStyle().SetString("\n\n")
	bar := lipgloss.Border{Left: g.Bar}
	focused := &s.Focused
	focused.Base = lipgloss.NewStyle().PaddingLeft(1).Border(bar, false, false, false, true).BorderForeground(t.Colors.Accent)
	focused.Title = t.Strong
	focused.Description = t.Muted
	focused.SelectSelector = t.Accent.SetString(g.Pointer + " ")
	focused.Option, focused.SelectedOption, focused.UnselectedOption = t.Text, t.Strong, t.Muted
	focused.TextInput.Prompt = t.Accent
	focused.TextInput.Text = t.Text
	focused.TextInput.Placeholder = t.Faint
	focused.TextInput.Cursor = t.Accent
	s.Blurred = *focused
	blurred := &s.Blurred
	blurred.Base = lipgloss.NewStyle().PaddingLeft(2)
	blurred.Title = t.Muted
	blurred.TextInput.Prompt = t.Faint
	blurred.SelectSelector = t.Muted.SetString(g.Pointer + " ")
	blurred.SelectedOption, blurred.UnselectedOption = t.Text, t.Faint
	return s
}
