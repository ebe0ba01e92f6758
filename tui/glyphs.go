package tui

import (
	"runtime"
	"strings"
	"time"
)

// glyphs are the signs of state and the few lines that are drawn, with plain
// twins for terminals that lack them.
type glyphs struct {
	on, off, busy, bad, none, less string
	mark                           string
	bar, pointer, dot              string
	ellipsis, dots                 string // where text was cut; where a sentence goes on
	up, down, upDown, leftRight    string
	spin                           []string // frames of what is under way
	border                         borderGlyphs
}

// borderGlyphs draw a panel: top left, top right, bottom left, bottom right,
// horizontal and vertical.
type borderGlyphs struct{ tl, tr, bl, br, h, v string }

func unicodeGlyphs() glyphs {
	return glyphs{
		on: "●", off: "○", busy: "◐", bad: "✗", none: "–", less: "▲",
		mark: "✓", bar: "▌", pointer: "›", dot: "·", ellipsis: "…", dots: "…",
		up: "↑", down: "↓", upDown: "↑↓", leftRight: "←→", spin: []string{"◐", "◓", "◑", "◒"},
		border: borderGlyphs{"┌", "┐", "└", "┘", "─", "│"},
	}
}

func asciiGlyphs() glyphs {
	return glyphs{
		on: "*", off: "o", busy: "~", bad: "x", none: "-", less: "^",
		mark: "+", bar: "|", pointer: ">", dot: "-", ellipsis: "~", dots: "...",
		up: "up", down: "down", upDown: "up/down", leftRight: "left/right", spin: []string{"|", "/", "-", "\\"},
		border: borderGlyphs{"+", "+", "+", "+", "-", "|"},
	}
}

// glyphsFor chooses by what the environment says of terminal and locale.
func glyphsFor(environ []string) glyphs {
	get := func(name string) string { return lookup(environ, name) }
	if term := get("TERM"); term == "linux" || term == "dumb" {
		return asciiGlyphs()
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		value := get(name)
		if value == "" {
			continue
		}
		folded := strings.ToLower(value)
		if strings.Contains(folded, "utf-8") || strings.Contains(folded, "utf8") {
			return unicodeGlyphs()
		}
		return asciiGlyphs()
	}
	// Programs started from a desktop have no locale on these systems.
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return unicodeGlyphs()
	}
	return asciiGlyphs()
}

// spinner is the sign of what is under way; it turns once a second.
func (g glyphs) spinner(now time.Time) string { return g.spin[int(now.Unix())%len(g.spin)] }

// lookup gives the last value of a variable, as a shell would see it.
func lookup(environ []string, name string) string {
	value := ""
	for _, pair := range environ {
		if k, v, ok := strings.Cut(pair, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// text replaces what texts hold of typographic signs, for terminals without
// them. Widths stay as they are.
func (g glyphs) text(s string) string {
	if g.ellipsis == "…" {
		return s
	}
	return strings.NewReplacer("…", "~", "“", `"`, "”", `"`, "·", "-", "–", "-", "×", "x").Replace(s)
}
