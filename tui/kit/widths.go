package kit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// StableWidth returns a line that is as wide as it was laid out on terminals that do
// not know grapheme clusters. A character of several code points, such as a flag or
// a family, is two cells wide on a terminal that knows them, and any number on one
// that counts code points. It gives way to its first code point, and a flag to its
// letters.
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
			seq = simplified(seq, width)
		}
		out.WriteString(seq)
	}
	return out.String()
}

// withoutKeycaps returns s with the caps taken off its digits: the functions that
// measure texts and those that cut them do not agree about their width.
func withoutKeycaps(s string) string {
	const keycap = "\u20e3"
	if !strings.Contains(s, keycap) {
		return s
	}
	return strings.NewReplacer("\ufe0f"+keycap, "", keycap, "").Replace(s)
}

// joins reports whether a code point forms a grapheme cluster with its neighbours.
func joins(r rune) bool {
	const joiner, textStyle, emojiStyle = '\u200d', '\ufe0e', '\ufe0f'
	return r == joiner || r == textStyle || r == emojiStyle || isFlagLetter(r) ||
		r >= 0x1F3FB && r <= 0x1F3FF || // skin tones
		r >= 0xE0020 && r <= 0xE007F // tags of flags
}

func isFlagLetter(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// simplified returns a cluster as code points that are width cells wide on every
// terminal.
func simplified(cluster string, width int) string {
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
