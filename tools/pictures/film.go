package main

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"

	uv "github.com/charmbracelet/ultraviolet"
)

// strip is the height of the line above the screen: what happens, and the key that is
// pressed.
const strip = cellHeight + margin

// shot is a screen of a moving picture.
type shot struct {
	screen  grid
	caption string
	key     string // the name of the one that is pressed; empty: none
	hold    int    // in hundredths of a second
}

// film draws shots, one after another, on one canvas.
type film struct {
	pen      *pen
	backdrop backdrop
	canvas   *canvas
	frames   []*image.Paletted
	delays   []int
}

// develop gives the shots as a GIF that begins again at its end. It has one palette.
func develop(p *pen, shots []shot, b backdrop) ([]byte, error) {
	rows, columns := len(shots[0].screen), len(shots[0].screen[0])
	f := &film{pen: p, backdrop: b, canvas: newCanvas(columns*cellWidth+2*margin, rows*cellHeight+2*margin+strip, b)}
	for _, s := range shots {
		before := bytes.Clone(f.canvas.image.Pix)
		if err := f.draw(s); err != nil {
			return nil, err
		}
		f.add(before, s.hold)
	}
	palette := make(color.Palette, len(f.canvas.image.Palette))
	for i, of := range f.canvas.image.Palette {
		palette[i] = b.opaque(of.(color.NRGBA))
	}
	disposal := make([]byte, len(f.frames))
	for i, frame := range f.frames {
		frame.Palette, disposal[i] = palette, gif.DisposalNone
	}
	size := f.canvas.image.Rect.Max
	var out bytes.Buffer
	err := gif.EncodeAll(&out, &gif.GIF{
		Image: f.frames, Delay: f.delays, Disposal: disposal,
		Config: image.Config{ColorModel: palette, Width: size.X, Height: size.Y},
	})
	return out.Bytes(), err
}

func (f *film) draw(s shot) error {
	c := f.canvas
	c.fill(c.image.Rect, f.backdrop.background)
	c.fill(image.Rect(0, strip, c.image.Rect.Max.X, strip+stroke), f.backdrop.border)
	c.frame(f.backdrop)
	title, key := written(s.caption, uv.AttrBold), written("", 0)
	if s.key != "" {
		key = written(" "+s.key+" ", uv.AttrBold|uv.AttrReverse)
	}
	right := margin + (len(s.screen[0])-len(key))*cellWidth
	return errors.Join(
		f.pen.grid(c, margin, (strip-cellHeight)/2, grid{title}, f.backdrop),
		f.pen.grid(c, right, (strip-cellHeight)/2, grid{key}, f.backdrop),
		f.pen.grid(c, margin, strip+margin, s.screen, f.backdrop),
	)
}

// written gives a text as a row of a grid.
func written(text string, attributes uint8) (row []uv.Cell) {
	for _, char := range text {
		row = append(row, uv.Cell{Content: string(char), Width: 1, Style: uv.Style{Attrs: attributes}})
	}
	return row
}

// add adds what of the canvas is not as before: the smallest rectangle around that, in
// which what stays is transparent, so that it packs well. The first frame is whole.
func (f *film) add(before []uint8, hold int) {
	now := f.canvas.image
	first := len(f.frames) == 0
	changed := difference(before, now)
	if first {
		changed = now.Rect
	}
	if changed.Empty() {
		f.delays[len(f.delays)-1] += hold
		return
	}
	frame := image.NewPaletted(changed, nil)
	same := f.canvas.color(color.NRGBA{}) // what is outside of the corners
	for y := changed.Min.Y; y < changed.Max.Y; y++ {
		for x := changed.Min.X; x < changed.Max.X; x++ {
			at := now.PixOffset(x, y)
			index := now.Pix[at]
			if !first && before[at] == index {
				index = same
			}
			frame.SetColorIndex(x, y, index)
		}
	}
	f.frames, f.delays = append(f.frames, frame), append(f.delays, hold)
}

// difference is the smallest rectangle outside of which the image is as before.
func difference(before []uint8, now *image.Paletted) (all image.Rectangle) {
	for y := range now.Rect.Max.Y {
		for x := range now.Rect.Max.X {
			if at := now.PixOffset(x, y); before[at] != now.Pix[at] {
				all = all.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return all
}
