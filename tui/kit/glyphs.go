package kit

import (
	"runtime"
	"strings"
	"time"
)

// Glyphs are the signs of state, the names of the arrow keys, and what borders are
// drawn with.
type Glyphs struct {
	On, Off, Busy, Failed, None, Warning string
	Marked                               string
	Bar                                  string // beside the selected row
	Pointer                              string // before the chosen option
	Dot                                  string // before a bullet, and between two facts
	Sorted                               string // after the heading by which a list is sorted
	CutMark                              string // one cell wide, where text was cut
	Ellipsis                             string // at the end of a sentence that goes on
	Up, Down, UpDown, LeftRight          string
	Spinner                              []string
	Border                               BorderGlyphs
}

// BorderGlyphs are what a Box is drawn with.
type BorderGlyphs struct{ TopLeft, TopRight, BottomLeft, BottomRight, Horizontal, Vertical string }

// UnicodeGlyphs returns the glyphs for terminals with Unicode.
func UnicodeGlyphs() Glyphs {
	return Glyphs{
		On: "●", Off: "○", Busy: "◐", Failed: "✗", None: "–", Warning: "▲",
		Marked: "✓", Bar: "▌", Pointer: "›", Dot: "·", Sorted: "↓", CutMark: "…", Ellipsis: "…",
		Up: "↑", Down: "↓", UpDown: "↑↓", LeftRight: "←→", Spinner: []string{"◐", "◓", "◑", "◒"},
		Border: BorderGlyphs{"┌", "┐", "└", "┘", "─", "│"},
	}
}

// ASCIIGlyphs returns the glyphs for terminals with ASCII alone.
func ASCIIGlyphs() Glyphs {
	return Glyphs{
		On: "*", Off: "o", Busy: "~", Failed: "x", None: "-", Warning: "^",
		Marked: "+", Bar: "|", Pointer: ">", Dot: "-", Sorted: "v", CutMark: "~", Ellipsis: "...",
		Up: "up", Down: "down", UpDown: "up/down", LeftRight: "left/right", Spinner: []string{"|", "/", "-", "\\"},
		Border: BorderGlyphs{"+", "+", "+", "+", "-", "|"},
	}
}

// GlyphsFor returns the glyphs for the terminal and the locale that an environment
// names. The environment has the form of os.Environ.
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
	// On these systems programs started from the desktop have no locale.
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" {
		return UnicodeGlyphs()
	}
	return ASCIIGlyphs()
}

// SpinnerAt returns the sign of work under way. It turns once a second.
func (g Glyphs) SpinnerAt(now time.Time) string { return g.Spinner[int(now.Unix())%len(g.Spinner)] }

// Getenv returns the value of a variable in an environment of the form of
// os.Environ. Of several values the last one counts, as in a shell.
func Getenv(environ []string, name string) string {
	value := ""
	for _, pair := range environ {
		if k, v, ok := strings.Cut(pair, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// Transliterate returns s with its typographic signs replaced by ASCII of the same
// width, where the terminal lacks them.
func (g Glyphs) Transliterate(s string) string {
	if g.CutMark == "…" {
		return s
	}
	return strings.NewReplacer("…", "~", "“", `"`, "”", `"`, "·", "-", "–", "-", "×", "x").Replace(s)
}
