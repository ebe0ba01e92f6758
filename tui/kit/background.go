package kit

import (
	"fmt"
	"strconv"
	"strings"
)

// Background is what a terminal draws text on.
type Background uint8

// The backgrounds. One that is not known may be any.
const (
	UnknownBackground Background = iota
	DarkBackground
	LightBackground
)

// Themes returns what ParseTheme accepts.
func Themes() []string { return []string{"auto", "light", "dark"} }

// ParseTheme returns the background that a theme is for; for auto that is
// UnknownBackground.
func ParseTheme(name string) (Background, error) {
	switch name {
	case "auto":
		return UnknownBackground, nil
	case "light":
		return LightBackground, nil
	case "dark":
		return DarkBackground, nil
	}
	return UnknownBackground, fmt.Errorf("%q is not a theme: it is %s or %s", name, strings.Join(Themes()[:2], ", "), Themes()[2])
}

// backgroundOf returns the background that the environment tells of: COLORFGBG holds the
// numbers of the foreground's colour and the background's, and in some terminals something
// else between them (rxvt, Konsole, iTerm2).
func backgroundOf(environ []string) Background {
	values := strings.Split(Getenv(environ, "COLORFGBG"), ";")
	number, err := strconv.ParseUint(values[len(values)-1], 10, 8)
	switch {
	case Getenv(environ, "TERM") == "linux": // the console, which is black
		return DarkBackground
	case err != nil || len(values) < 2 || number > 15:
		return UnknownBackground
	case number == 7 || number > 8: // white, and the bright ones but black
		return LightBackground
	}
	return DarkBackground
}
