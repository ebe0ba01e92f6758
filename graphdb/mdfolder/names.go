package mdfolder

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const extension = ".md"

// fileNames makes names of files that are valid on every file system. It holds those
// that are taken, in lower case, since some file systems are not case-sensitive.
type fileNames map[string]bool

// of returns the name for the file of a page. The title itself is in the file.
func (taken fileNames) of(title string) string {
	base := safeName(title)
	name := base
	for n := 2; taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s (%d)", base, n)
	}
	taken[strings.ToLower(name)] = true
	return name + extension
}

// maxName bounds a name, in bytes; file systems allow 255.
const maxName = 120

func safeName(title string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == utf8.RuneError || strings.ContainsRune(`<>:"/\|?*`, r) {
			return '_'
		}
		return r
	}, title)
	name = strings.TrimSpace(name)
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	name = strings.TrimRight(name, ". ")
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	switch {
	case name == "", name[0] == '.', reservedName(stem): // hidden, or a device on Windows
		return "_" + name
	}
	return name
}

func reservedName(stem string) bool {
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9'
}
