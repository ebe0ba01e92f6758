package kit

import (
	"image/color"
	"math"
	"reflect"
	"testing"

	"charm.land/lipgloss/v2"
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

// TestContrast holds every token to the ratio that WCAG
// asks of text (4.5), and borders to that of what is no text (3). The backgrounds
// are those that terminals come with, and that of the selected row.
func TestContrast(t *testing.T) {
	for _, side := range []struct {
		name        string
		palette     Palette
		backgrounds []string
	}{
		{"dark", darkPalette(), []string{"#000000", "#1E1E1E"}},
		{"light", lightPalette(), []string{"#FFFFFF", "#FAFAFA"}},
	} {
		grounds := map[string]color.Color{"raised": side.palette.Raised}
		for _, b := range side.backgrounds {
			grounds[b] = lipgloss.Color(b)
		}
		fields := reflect.TypeFor[Palette]()
		tokens := map[string]color.Color{
			"muted": side.palette.Muted, "faint": side.palette.Faint, "accent": side.palette.Accent, "accentMuted": side.palette.AccentMuted,
			"link": side.palette.Link, "success": side.palette.Success, "warning": side.palette.Warning, "danger": side.palette.Danger,
			"border": side.palette.Border,
		}
		if ratio := contrast(side.palette.OnSelection, side.palette.Selection); ratio < 7 {
			t.Errorf("%s: the selected row has contrast %.2f, 7 is needed", side.name, ratio)
		}
		const others = 4 // text is the terminal's own; selection, onSelection and raised
		if len(tokens)+others != fields.NumField() {
			t.Fatalf("the palette has %d tokens, the test %d", fields.NumField(), len(tokens)+others)
		}
		for token, c := range tokens {
			for ground, background := range grounds {
				least := 4.5
				if token == "border" {
					least = 3
				}
				if ground == "raised" && (token == "faint" || token == "accentMuted" || token == "link" || token == "border") {
					continue // never drawn on it
				}
				if ratio := contrast(c, background); ratio < least {
					t.Errorf("%s: %s on %s has contrast %.2f, %.1f is needed", side.name, token, ground, ratio, least)
				}
			}
		}
	}
}
