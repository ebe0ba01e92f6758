package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"github.com/go-fonts/dejavu/dejavusansmonoboldoblique"
	"github.com/go-fonts/dejavu/dejavusansmonooblique"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// Everything is drawn at twice the size at which it is shown, in pixels.
const (
	cellWidth  = 17
	cellHeight = 36
	baseline   = 26
	margin     = 30
	stroke     = 2  // of lines that are drawn
	radius     = 16 // of the corners
)

// advance is the width of the font's characters, in parts of its size.
const advance = 1233.0 / 2048

// pen draws screens.
type pen struct {
	faces map[uint8]font.Face // by bold and italic
}

func newPen() (*pen, error) {
	p := &pen{faces: map[uint8]font.Face{}}
	for style, data := range map[uint8][]byte{
		0: dejavusansmono.TTF, uv.AttrBold: dejavusansmonobold.TTF,
		uv.AttrItalic: dejavusansmonooblique.TTF, uv.AttrBold | uv.AttrItalic: dejavusansmonoboldoblique.TTF,
	} {
		parsed, err := opentype.Parse(data)
		if err != nil {
			return nil, err
		}
		// At this size a character is exactly a cell wide.
		p.faces[style], err = opentype.NewFace(parsed, &opentype.FaceOptions{Size: cellWidth / advance, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// write draws the screen into a PNG file.
func (p *pen) write(path string, g grid, b backdrop) error {
	c := newCanvas(len(g[0])*cellWidth+2*margin, len(g)*cellHeight+2*margin, b)
	if err := p.grid(c, margin, margin, g, b); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	c.frame(b)
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, c.image); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// grid draws the screen with its upper left corner at x and y.
func (p *pen) grid(c *canvas, x, y int, g grid, b backdrop) error {
	for row, cells := range g {
		for column, cell := range cells {
			if err := p.cell(c, x+column*cellWidth, y+row*cellHeight, cell, b); err != nil {
				return fmt.Errorf("row %d, column %d: %w", row+1, column+1, err)
			}
		}
	}
	return nil
}

func (p *pen) cell(c *canvas, x, y int, cell uv.Cell, b backdrop) error {
	fg, bg := b.colors(cell.Style)
	c.fill(image.Rect(x, y, x+cellWidth, y+cellHeight), bg)
	if cell.Style.Underline != uv.UnderlineNone {
		c.fill(image.Rect(x, y+baseline+3, x+cellWidth, y+baseline+3+stroke), fg)
	}
	char, size := utf8.DecodeRuneInString(cell.Content)
	if char == ' ' || drawn(c, x, y, char, fg) {
		return nil
	}
	face := p.faces[cell.Style.Attrs&(uv.AttrBold|uv.AttrItalic)]
	box, mask, at, _, ok := face.Glyph(fixed.P(x, y+baseline), char)
	if !ok || size != len(cell.Content) {
		return fmt.Errorf("the font has no %q", cell.Content)
	}
	for py := box.Min.Y; py < box.Max.Y; py++ {
		for px := box.Min.X; px < box.Max.X; px++ {
			_, _, _, alpha := mask.At(at.X+px-box.Min.X, at.Y+py-box.Min.Y).RGBA()
			c.blend(px, py, fg, bg, uint8(alpha>>8))
		}
	}
	return nil
}

// canvas is an image with a palette that grows with what is drawn.
type canvas struct {
	image *image.Paletted
	index map[color.NRGBA]uint8
}

func newCanvas(width, height int, b backdrop) *canvas {
	c := &canvas{image: image.NewPaletted(image.Rect(0, 0, width, height), nil), index: map[color.NRGBA]uint8{}}
	c.fill(c.image.Rect, b.background)
	return c
}

// shades is how many steps lie between two colours where a letter's edge is
// drawn: enough for the eye, few enough for one palette.
const shades = 8

func (c *canvas) color(of color.NRGBA) uint8 {
	if i, ok := c.index[of]; ok {
		return i
	}
	if len(c.image.Palette) == 256 { // full: the nearest one
		return uint8(c.image.Palette.Index(of))
	}
	i := uint8(len(c.image.Palette))
	c.image.Palette = append(c.image.Palette, of)
	c.index[of] = i
	return i
}

func (c *canvas) fill(r image.Rectangle, with color.NRGBA) {
	i := c.color(with)
	r = r.Intersect(c.image.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			c.image.SetColorIndex(x, y, i)
		}
	}
}

// blend sets a pixel to a colour between bg and fg.
func (c *canvas) blend(x, y int, fg, bg color.NRGBA, alpha uint8) {
	step := (int(alpha)*shades + 127) / 255
	if step == 0 || !(image.Point{X: x, Y: y}).In(c.image.Rect) {
		return
	}
	mix := func(a, b uint8) uint8 { return uint8((int(a)*step + int(b)*(shades-step)) / shades) }
	between := color.NRGBA{R: mix(fg.R, bg.R), G: mix(fg.G, bg.G), B: mix(fg.B, bg.B), A: mix(fg.A, bg.A)}
	c.image.SetColorIndex(x, y, c.color(between))
}
