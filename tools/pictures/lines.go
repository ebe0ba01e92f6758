package main

import (
	"image"
	"image/color"
	"math"
)

// arms are the ways in which a line character leaves the middle of its cell.
type arms struct{ up, down, left, right bool }

// lineArms are the characters that are drawn as lines, so that they join from
// cell to cell; the font's own do so only at its own line height.
func lineArms(char rune) (arms, bool) {
	switch char {
	case '─':
		return arms{left: true, right: true}, true
	case '│':
		return arms{up: true, down: true}, true
	case '┌', '╭':
		return arms{down: true, right: true}, true
	case '┐', '╮':
		return arms{down: true, left: true}, true
	case '└', '╰':
		return arms{up: true, right: true}, true
	case '┘', '╯':
		return arms{up: true, left: true}, true
	case '├':
		return arms{up: true, down: true, right: true}, true
	case '┤':
		return arms{up: true, down: true, left: true}, true
	case '┬':
		return arms{down: true, left: true, right: true}, true
	case '┴':
		return arms{up: true, left: true, right: true}, true
	case '┼':
		return arms{up: true, down: true, left: true, right: true}, true
	}
	return arms{}, false
}

// drawn draws line and block characters, and reports whether char is one.
func drawn(c *canvas, x, y int, char rune, fg color.NRGBA) bool {
	switch char {
	case '█':
		c.fill(image.Rect(x, y, x+cellWidth, y+cellHeight), fg)
		return true
	case '▌':
		c.fill(image.Rect(x, y, x+cellWidth/2, y+cellHeight), fg)
		return true
	case '▐':
		c.fill(image.Rect(x+cellWidth/2, y, x+cellWidth, y+cellHeight), fg)
		return true
	}
	a, ok := lineArms(char)
	if !ok {
		return false
	}
	left, top := x+(cellWidth-stroke)/2, y+(cellHeight-stroke)/2
	right, bottom := left+stroke, top+stroke
	if a.up {
		c.fill(image.Rect(left, y, right, bottom), fg)
	}
	if a.down {
		c.fill(image.Rect(left, top, right, y+cellHeight), fg)
	}
	if a.left {
		c.fill(image.Rect(x, top, right, bottom), fg)
	}
	if a.right {
		c.fill(image.Rect(left, top, x+cellWidth, bottom), fg)
	}
	return true
}

// frame draws the border of the window and makes its corners round.
func (c *canvas) frame(b backdrop) {
	size := c.image.Rect.Max
	for y := range size.Y {
		for x := range size.X {
			if x >= radius && x < size.X-radius && y >= stroke && y < size.Y-stroke ||
				y >= radius && y < size.Y-radius && x >= stroke && x < size.X-stroke {
				continue
			}
			inside := c.depth(x, y)
			switch {
			case inside <= -1:
				c.fill(image.Rect(x, y, x+1, y+1), color.NRGBA{})
			case inside < 0:
				edge := b.border
				edge.A = uint8(0xff*(1+inside)) &^ 0x1f
				c.fill(image.Rect(x, y, x+1, y+1), edge)
			case inside < stroke:
				c.fill(image.Rect(x, y, x+1, y+1), b.border)
			}
		}
	}
}

// depth is how far a pixel lies inside the rounded window; negative: outside.
func (c *canvas) depth(x, y int) float64 {
	size := c.image.Rect.Max
	px, py := float64(x)+0.5, float64(y)+0.5
	// The distance to the nearest corner's centre counts only beyond it.
	dx := max(radius-px, px-float64(size.X-radius), 0)
	dy := max(radius-py, py-float64(size.Y-radius), 0)
	return radius - math.Hypot(dx, dy) - 0.5
}
