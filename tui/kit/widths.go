package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// StableWidth keeps a line as wide as it was laid out. A character made of several
// code points, such as a flag or a family, takes two columns where the terminal
// knows them, and any number where it counts code points. Unless it has said that
// it knows them, such a character gives way to its first code point, and a flag
// to its letters.
func StableWidth(line string) string {
	if strings.IndexFunc(line, joins) < 0 {
		return line
	}
	var out strings.Builder
	var state byte
	for line != "" {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		state, line = next, line[n:]
		if strings.IndexFunc(seq, joins) >= 0 {
			seq = simple(seq, width)
		}
		out.WriteString(seq)
	}
	return out.String()
}

// withoutKeycaps takes the cap off a digit with one: what measures texts and what
// cuts them do not agree about its width.
func withoutKeycaps(s string) string {
	const keycap = "\u20e3"
	if !strings.Contains(s, keycap) {
		return s
	}
	return strings.NewReplacer("\ufe0f"+keycap, "", keycap, "").Replace(s)
}

// joins reports whether a code point makes one character of itself and its
// neighbours.
func joins(r rune) bool {
	const joiner, textStyle, emojiStyle = '\u200d', '\ufe0e', '\ufe0f'
	return r == joiner || r == textStyle || r == emojiStyle || isFlagLetter(r) ||
		r >= 0x1F3FB && r <= 0x1F3FF || // colours of skin
		r >= 0xE0020 && r <= 0xE007F // tags of flags
}

func isFlagLetter(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// simple writes a character of several code points so that every terminal gives
// it the width.
func simple(cluster string, width int) string {
	var out strings.Builder
	used := 0
	for i, r := range cluster {
		if isFlagLetter(r) {
			r = 'A' + r - 0x1F1E6
		} else if i > 0 {
			break
		}
		w := ansi.StringWidthWc(string(r))
		if used+w > width {
			break
		}
		out.WriteRune(r)
		used += w
	}
	return out.String() + strings.Repeat(" ", width-used)
}
