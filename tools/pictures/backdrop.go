package main

import (
	"fmt"
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// backdrop is a terminal's own colours.
type backdrop struct {
	name                           string
	background, foreground, border color.NRGBA
	page                           color.NRGBA // that the pictures stand on, on GitHub
	ansi                           [16]color.NRGBA
}

func dark() backdrop {
	return backdrop{
		name: "dark", background: rgb(0x15171e), foreground: rgb(0xd7dae3), border: rgb(0x3a3f4b), page: rgb(0x0d1117),
		ansi: colors(
			0x3b4048, 0xe06c75, 0x8cc570, 0xe5c07b, 0x6aa7f0, 0xc678dd, 0x56b6c2, 0xc8ccd4,
			0x6b7280, 0xff7b86, 0xa5e075, 0xf0d399, 0x7fb8ff, 0xde8cf2, 0x6fd3df, 0xffffff),
	}
}

func light() backdrop {
	return backdrop{
		name: "light", background: rgb(0xffffff), foreground: rgb(0x24292f), border: rgb(0xd0d7de), page: rgb(0xffffff),
		ansi: colors(
			0x24292f, 0xb3261e, 0x1e7a3c, 0x8a5b00, 0x0b5cad, 0x8250df, 0x1b7c83, 0x6e7781,
			0x57606a, 0xcf222e, 0x2da44e, 0xbf8700, 0x218bff, 0xa475f9, 0x3192aa, 0x8c959f),
	}
}

// opaque gives what is seen of a colour on the page, but for one that is not seen at all.
func (b backdrop) opaque(c color.NRGBA) color.NRGBA {
	if c.A == 0 {
		return c
	}
	mix := func(a, b uint8) uint8 { return uint8((int(a)*int(c.A) + int(b)*(0xff-int(c.A))) / 0xff) }
	return color.NRGBA{R: mix(c.R, b.page.R), G: mix(c.G, b.page.G), B: mix(c.B, b.page.B), A: 0xff}
}

func rgb(v uint32) color.NRGBA {
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

func colors(values ...uint32) (all [16]color.NRGBA) {
	for i, v := range values {
		all[i] = rgb(v)
	}
	return all
}

// answer is what a terminal sends to one who asks for its background.
func (b backdrop) answer() string {
	c := b.background
	return fmt.Sprintf("\x1b]11;rgb:%02x%02x/%02x%02x/%02x%02x\x1b\\", c.R, c.R, c.G, c.G, c.B, c.B)
}

// colors gives what a cell is drawn with: the terminal's own colours, those of the
// 16 that it chooses, or others as they are.
func (b backdrop) colors(style uv.Style) (foreground, background color.NRGBA) {
	foreground, background = b.color(style.Fg, b.foreground), b.color(style.Bg, b.background)
	if style.Attrs&uv.AttrReverse != 0 {
		return background, foreground
	}
	return foreground, background
}

func (b backdrop) color(of color.Color, usual color.NRGBA) color.NRGBA {
	switch of := of.(type) {
	case nil:
		return usual
	case ansi.BasicColor:
		return b.ansi[of]
	case ansi.IndexedColor:
		if int(of) < len(b.ansi) {
			return b.ansi[of]
		}
	}
	return color.NRGBAModel.Convert(of).(color.NRGBA)
}
