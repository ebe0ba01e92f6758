package kit

import (
	"runtime"
	"strings"
	"time"
)

// Glyphs are the signs of state and the few lines that are drawn, with plain
// twins for terminals that lack them.
type Glyphs struct {
	On, Off, Busy, Failed, None, Warning string
	Marked                               string
	Bar, Pointer, Dot                    string
	CutMark, Ellipsis                    string // where text was cut; where a sentence goes on
	Up, Down, UpDown, LeftRight          string
	Spinner                              []string // frames of what is under way
	Border                               BorderGlyphs
}

// BorderGlyphs draw a panel: top left, top right, bottom left, bottom right,
// horizontal and vertical.
type BorderGlyphs struct{ TopLeft, TopRight, BottomLeft, BottomRight, Horizontal, Vertical string }

func UnicodeGlyphs() Glyphs {
	return Glyphs{
		On: "●", Off: "○", Busy: "◐", Failed: "✗", None: "–", Warning: "▲",
		Marked: "✓", Bar: "▌", Pointer: "›", Dot: "·", CutMark: "…", Ellipsis: "…",
		Up: "↑", Down: "↓", UpDown: "↑↓", LeftRight: "←→", Spinner: []string{"◐", "◓", "◑", "◒"},
		Border: BorderGlyphs{"┌", "┐", "└", "┘", "─", "│"},
	}
}

func ASCIIGlyphs() Glyphs {
	return Glyphs{
		On: "*", Off: "o", Busy: "~", Failed: "x", None: "-", Warning: "^",
		Marked: "+", Bar: "|", Pointer: ">", Dot: "-", CutMark: "~", Ellipsis: "...",
		Up: "up", Down: "down", UpDown: "up/down", LeftRight: "left/right", Spinner: []string{"|", "/", "-", "\\"},
		Border: BorderGlyphs{"+", "+", "+", "+", "-", "|"},
	}
}

// GlyphsFor chooses by what the environment says of terminal and locale.
func GlyphsFor(environ []string) Glyphs {
	get := func(name string) string { return Getenv(environ, name) }
	if term := get("TERM"); term == "linux" || term == "dumb" {
		return ASCIIGlyphs()
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		value := get(name)
		if value == "" {
			continue
		}
		folded := strings.ToLower(value)
		if strings.Contains(folded, "utf-8") || strings.Contains(folded, "utf8") {
			return UnicodeGlyphs()
		}
		return ASCIIGlyphs()
	}
	// Programs started from a desktop have no locale on these systems.
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return UnicodeGlyphs()
	}
	return ASCIIGlyphs()
}

// SpinnerAt is the sign of what is under way; it turns once a second.
func (g Glyphs) SpinnerAt(now time.Time) string { return g.Spinner[int(now.Unix())%len(g.Spinner)] }

// Getenv gives the last value of a variable, as a shell would see it.
func Getenv(environ []string, name string) string {
	value := ""
	for _, pair := range environ {
		if k, v, ok := strings.Cut(pair, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// Transliterate replaces what texts hold of typographic signs, for terminals without
// them. Widths stay as they are.
func (g Glyphs) Transliterate(s string) string {
	if g.CutMark == "…" {
		return s
	}
	return strings.NewReplacer("…", "~", "“", `"`, "”", `"`, "·", "-", "–", "-", "×", "x").Replace(s)
}
