package kit

import (
	"image/color"

	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Palette is the colours, by their use. Nothing else names a colour. A NoColor is the
// terminal's own.
type Palette struct {
	Text, Muted, Faint        color.Color
	Accent, AccentMuted, Link color.Color
	Success, Warning, Danger  color.Color
	Border                    color.Color
	// Selection is the ground of the selected row, OnSelection its text. Where they are
	// the terminal's own, the two change places.
	Selection, OnSelection color.Color
	// Raised is the ground of what is set apart within a text.
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

// neutralPalette can be read on black and on white: each of its colours is halfway
// between the two.
func neutralPalette() Palette {
	return Palette{
		Text: lipgloss.NoColor{}, Muted: lipgloss.Color("#757575"), Faint: lipgloss.Color("#767676"),
		Accent: lipgloss.Color("#2977C9"), AccentMuted: lipgloss.Color("#4F769F"), Link: lipgloss.Color("#2977C9"),
		Success: lipgloss.Color("#2E8540"), Warning: lipgloss.Color("#94690F"), Danger: lipgloss.Color("#D03A3A"),
		Border:    lipgloss.Color("#767676"),
		Selection: lipgloss.Color("#1F5FA8"), OnSelection: lipgloss.Color("#FFFFFF"), Raised: lipgloss.NoColor{},
	}
}

// dark16Palette and light16Palette are for terminals with 16 colours, which each has its
// own of. They leave out those that are hard to read on some: dark blue on black, green
// and yellow on white, and any ground but the terminal's own.
func dark16Palette() Palette {
	p := ownPalette()
	p.Muted, p.Faint, p.Border = lipgloss.White, lipgloss.White, lipgloss.White
	p.Accent, p.AccentMuted, p.Link = lipgloss.BrightBlue, lipgloss.BrightBlue, lipgloss.BrightBlue
	p.Success, p.Warning, p.Danger = lipgloss.BrightGreen, lipgloss.BrightYellow, lipgloss.BrightRed
	return p
}

func light16Palette() Palette {
	p := ownPalette()
	p.Muted, p.Faint, p.Border = lipgloss.BrightBlack, lipgloss.BrightBlack, lipgloss.BrightBlack
	p.Accent, p.AccentMuted, p.Link = lipgloss.Blue, lipgloss.Blue, lipgloss.Blue
	p.Warning, p.Danger = lipgloss.Magenta, lipgloss.Red
	return p
}

// neutral16Palette has the two of the 16 that can be read on black and on white.
func neutral16Palette() Palette {
	p := ownPalette()
	p.Accent, p.AccentMuted, p.Link, p.Danger = lipgloss.BrightBlue, lipgloss.BrightBlue, lipgloss.BrightBlue, lipgloss.BrightRed
	return p
}

// ownPalette is the terminal's own colours.
func ownPalette() Palette {
	own := lipgloss.NoColor{}
	return Palette{
		Text: own, Muted: own, Faint: own, Accent: own, AccentMuted: own, Link: own, Success: own, Warning: own, Danger: own,
		Border: own, Selection: own, OnSelection: own, Raised: own,
	}
}

// paletteFor returns the palette for a background and the colours that a terminal has.
// The zero Profile is a terminal that has not been asked yet.
func paletteFor(background Background, profile colorprofile.Profile) Palette {
	switch few := profile == colorprofile.ANSI; {
	case profile == colorprofile.ASCII, profile == colorprofile.NoTTY:
		return ownPalette()
	case few && background == UnknownBackground:
		return neutral16Palette()
	case few && background == DarkBackground:
		return dark16Palette()
	case few:
		return light16Palette()
	case background == DarkBackground:
		return darkPalette()
	case background == LightBackground:
		return lightPalette()
	}
	return neutralPalette()
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

// NewTheme returns the theme of a palette.
func NewTheme(colors Palette) Theme {
	of := func(c color.Color) lipgloss.Style { return lipgloss.NewStyle().Foreground(c) }
	t := Theme{
		Colors: colors,
		Text:   of(colors.Text), Strong: of(colors.Text).Bold(true), Muted: of(colors.Muted), Faint: of(colors.Faint),
		Accent: of(colors.Accent).Bold(true), AccentMuted: of(colors.AccentMuted), Link: of(colors.Link),
		Success: of(colors.Success), Warning: of(colors.Warning), Danger: of(colors.Danger),
		Border: of(colors.Border), Dimmed: of(colors.Border),
		Selected:     of(colors.OnSelection).Background(colors.Selection),
		SelectionBar: of(colors.Accent).Background(colors.Selection),
	}
	if _, own := colors.Selection.(lipgloss.NoColor); own {
		t.Selected = lipgloss.NewStyle().Reverse(true)
		t.SelectionBar = t.Selected
		t.Dimmed = t.Dimmed.Faint(true)
	}
	t.Button, t.FocusedButton = t.Muted.Padding(0, 2), t.Selected.Bold(true).Padding(0, 2)
	return t
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
