package kit

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// luminance and contrast are those of WCAG 2.2, "relative luminance" and
// "contrast ratio".
func luminance(c color.Color) float64 {
	linear := func(v uint32) float64 {
		s := float64(v) / 0xffff
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// terminal is a terminal's own colours: the background, the foreground, and the first 16.
type terminalColors struct {
	name                   string
	background, foreground string
	ansi                   [16]string
}

func terminals() (dark, light []terminalColors) {
	xterm := [16]string{"#000000", "#CD0000", "#00CD00", "#CDCD00", "#0000EE", "#CD00CD", "#00CDCD", "#E5E5E5", "#7F7F7F", "#FF0000", "#00FF00", "#FFFF00", "#5C5CFF", "#FF00FF", "#00FFFF", "#FFFFFF"}
	campbell := [16]string{"#0C0C0C", "#C50F1F", "#13A10E", "#C19C00", "#0037DA", "#881798", "#3A96DD", "#CCCCCC", "#767676", "#E74856", "#16C60C", "#F9F1A5", "#3B78FF", "#B4009E", "#61D6D6", "#F2F2F2"}
	vga := [16]string{"#000000", "#AA0000", "#00AA00", "#AA5500", "#0000AA", "#AA00AA", "#00AAAA", "#AAAAAA", "#555555", "#FF5555", "#55FF55", "#FFFF55", "#5555FF", "#FF55FF", "#55FFFF", "#FFFFFF"}
	gnome := [16]string{"#171421", "#C01C28", "#26A269", "#A2734C", "#12488B", "#A347BA", "#2AA1B3", "#D0CFCC", "#5E5C64", "#F66151", "#33D17A", "#E9AD0C", "#2A7BDE", "#C061CB", "#33C7DE", "#FFFFFF"}
	dark = []terminalColors{
		{"xterm, reversed", "#000000", "#FFFFFF", xterm}, {"Windows Terminal", "#0C0C0C", "#CCCCCC", campbell},
		{"Linux console", "#000000", "#AAAAAA", vga}, {"GNOME, dark", "#1E1E1E", "#FFFFFF", gnome},
	}
	light = []terminalColors{
		{"xterm", "#FFFFFF", "#000000", xterm}, {"GNOME, light", "#FFFFFF", "#1E1E1E", gnome},
		{"Windows Terminal, light", "#FAFAFA", "#383A42", campbell},
	}
	return dark, light
}

// on returns a colour as the terminal draws it, which has its own for some.
func (t terminalColors) on(c, own color.Color) color.Color {
	switch c := c.(type) {
	case lipgloss.NoColor:
		return own
	case ansi.BasicColor:
		return lipgloss.Color(t.ansi[c])
	}
	return c
}

// TestContrast holds every token to the ratio that WCAG asks of text (4.5), and borders
// to that of what is no text (3): with every number of colours that terminals have, on
// the backgrounds that they come with. Where the background is not known, or the colours
// are 16 that each terminal has its own of, it is 3 for all but the selected row.
func TestContrast(t *testing.T) {
	darkOnes, lightOnes := terminals()
	for _, side := range []struct {
		name       string
		background Background
		terminals  []terminalColors
	}{
		{"dark", DarkBackground, darkOnes}, {"light", LightBackground, lightOnes},
		{"unknown", UnknownBackground, append(darkOnes[:3:3], lightOnes...)},
	} {
		for _, profile := range []colorprofile.Profile{colorprofile.Unknown, colorprofile.TrueColor, colorprofile.ANSI256, colorprofile.ANSI, colorprofile.ASCII, colorprofile.NoTTY} {
			for _, terminal := range side.terminals {
				t.Run(fmt.Sprintf("%s, %s, %s", side.name, profile, terminal.name), func(t *testing.T) {
					checkContrast(t, paletteFor(side.background, profile), profile, terminal)
				})
			}
		}
	}
}

func checkContrast(t *testing.T, p Palette, profile colorprofile.Profile, terminal terminalColors) {
	background, foreground := lipgloss.Color(terminal.background), lipgloss.Color(terminal.foreground)
	drawn := func(c, own color.Color) color.Color {
		if _, none := c.(lipgloss.NoColor); !none && profile == colorprofile.ANSI256 {
			c = profile.Convert(c)
		}
		return terminal.on(c, own)
	}
	ground, text := drawn(p.Selection, background), drawn(p.OnSelection, foreground)
	if _, reversed := p.Selection.(lipgloss.NoColor); reversed {
		ground, text = foreground, background
	}
	least := 4.5
	if profile == colorprofile.ANSI || p == neutralPalette() {
		least = 3
	}
	check := func(token string, c, on color.Color, least float64) {
		t.Helper()
		if ratio := contrast(c, on); ratio < least {
			t.Errorf("%s has contrast %.2f, %.1f is needed", token, ratio, least)
		}
	}
	check("the selected row", text, ground, 4.5)
	if contrast(ground, background) < 1.25 {
		t.Errorf("the selected row can't be told from the others: %.2f", contrast(ground, background))
	}
	tokens := map[string]color.Color{
		"text": p.Text, "muted": p.Muted, "faint": p.Faint, "accent": p.Accent, "accentMuted": p.AccentMuted, "link": p.Link,
		"success": p.Success, "warning": p.Warning, "danger": p.Danger,
	}
	const others = 4 // border, selection, onSelection and raised
	if fields := reflect.TypeFor[Palette]().NumField(); len(tokens)+others != fields {
		t.Fatalf("the palette has %d tokens, the test %d", fields, len(tokens)+others)
	}
	for token, c := range tokens {
		check(token, drawn(c, foreground), background, least)
		if _, none := p.Raised.(lipgloss.NoColor); !none && token != "faint" && token != "accentMuted" && token != "link" {
			check(token+" on raised", drawn(c, foreground), drawn(p.Raised, background), least)
		}
	}
	check("border", drawn(p.Border, foreground), background, 2.8)
}

func TestTheme(t *testing.T) {
	for _, test := range []struct {
		name    string
		chosen  Background
		environ string
		answer  Background
		want    Palette
	}{
		{"is neutral where nothing is known", UnknownBackground, "", UnknownBackground, neutralPalette()},
		{"is that of the terminal's answer", UnknownBackground, "", LightBackground, lightPalette()},
		{"is that of COLORFGBG where there is no answer", UnknownBackground, "COLORFGBG=0;15", UnknownBackground, lightPalette()},
		{"knows COLORFGBG with three values", UnknownBackground, "COLORFGBG=15;default;0", UnknownBackground, darkPalette()},
		{"takes grey for dark, and white for light", UnknownBackground, "COLORFGBG=0;8", UnknownBackground, darkPalette()},
		{"takes light grey for light", UnknownBackground, "COLORFGBG=0;7", UnknownBackground, lightPalette()},
		{"leaves COLORFGBG alone that it can't read", UnknownBackground, "COLORFGBG=0;default", UnknownBackground, neutralPalette()},
		{"leaves a single number alone", UnknownBackground, "COLORFGBG=15", UnknownBackground, neutralPalette()},
		{"prefers the answer to COLORFGBG", UnknownBackground, "COLORFGBG=15;0", LightBackground, lightPalette()},
		{"prefers the person's choice to both", DarkBackground, "COLORFGBG=0;15", LightBackground, darkPalette()},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := NewLook(test.chosen, []string{test.environ})
			if test.answer != UnknownBackground {
				l.SetBackground(test.answer)
			}
			if l.Theme.Colors != test.want {
				t.Errorf("the palette is %v, want %v", l.Theme.Colors, test.want)
			}
		})
	}
}
