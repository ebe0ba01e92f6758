package tui

import (
	"image/color"

	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
)

// palette holds the tokens of style. Nothing else names a colour, and nothing is
// said by colour alone.
type palette struct {
	text, muted, faint        color.Color
	accent, accentMuted, link color.Color
	success, warning, danger  color.Color
	selection, border         color.Color
}

func darkPalette() palette {
	return palette{
		text: lipgloss.NoColor{}, muted: lipgloss.Color("#A3A9B5"), faint: lipgloss.Color("#868D9A"),
		accent: lipgloss.Color("#7CB7FF"), accentMuted: lipgloss.Color("#6490C9"), link: lipgloss.Color("#7CB7FF"),
		success: lipgloss.Color("#7FCB8F"), warning: lipgloss.Color("#E5BE6A"), danger: lipgloss.Color("#F08A8A"),
		selection: lipgloss.Color("#303030"), border: lipgloss.Color("#666A70"),
	}
}

func lightPalette() palette {
	return palette{
		text: lipgloss.NoColor{}, muted: lipgloss.Color("#545B66"), faint: lipgloss.Color("#636568"),
		accent: lipgloss.Color("#0B5CAD"), accentMuted: lipgloss.Color("#38699A"), link: lipgloss.Color("#0B5CAD"),
		success: lipgloss.Color("#166D34"), warning: lipgloss.Color("#6B5E00"), danger: lipgloss.Color("#B3261E"),
		selection: lipgloss.Color("#E4E4E4"), border: lipgloss.Color("#848D9A"),
	}
}

// theme is the palette as styles.
type theme struct {
	colors                        palette
	text, strong, muted, faint    lipgloss.Style
	accent, accentMuted, link     lipgloss.Style
	success, warning, danger      lipgloss.Style
	border, button, focusedButton lipgloss.Style
}

func newTheme(dark bool) theme {
	colors := lightPalette()
	if dark {
		colors = darkPalette()
	}
	of := func(c color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(c) }
	return theme{
		colors: colors,
		text:   of(colors.text), strong: of(colors.text).Bold(true), muted: of(colors.muted), faint: of(colors.faint),
		accent: of(colors.accent).Bold(true), accentMuted: of(colors.accentMuted), link: of(colors.link),
		success: of(colors.success), warning: of(colors.warning), danger: of(colors.danger),
		border:        of(colors.border),
		button:        of(colors.muted).Background(colors.selection).Padding(0, 2),
		focusedButton: lipgloss.NewStyle().Reverse(true).Foreground(colors.accent).Bold(true).Padding(0, 2),
	}
}

// form is the theme for huh's fields.
func (t theme) form(g glyphs) *huh.Styles {
	s := huh.ThemeBase(true)
	s.FieldSeparator = lipgloss.NewStyle().SetString("\n\n")
	bar := lipgloss.Border{Left: g.bar}
	focused := &s.Focused
	focused.Base = lipgloss.NewStyle().PaddingLeft(1).Border(bar, false, false, false, true).BorderForeground(t.colors.accent)
	focused.Title = t.strong
	focused.Description = t.muted
	focused.SelectSelector = t.accent.SetString(g.pointer + " ")
	focused.Option, focused.SelectedOption, focused.UnselectedOption = t.text, t.strong, t.muted
	focused.TextInput.Prompt = t.accent
	focused.TextInput.Text = t.text
	focused.TextInput.Placeholder = t.faint
	focused.TextInput.Cursor = t.accent
	s.Blurred = *focused
	blurred := &s.Blurred
	blurred.Base = lipgloss.NewStyle().PaddingLeft(2)
	blurred.Title = t.muted
	blurred.TextInput.Prompt = t.faint
	blurred.SelectSelector = t.muted.SetString(g.pointer + " ")
	blurred.SelectedOption, blurred.UnselectedOption = t.text, t.faint
	return s
}
