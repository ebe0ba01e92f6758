package configstore

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/textsafe"
)

// excerptReach is how many characters of a line are shown on either side of a fault.
const excerptReach = 40

// secrets match what may be a token, also in text that is no JSON: what begins as one,
// up to a quote; the value of a key with such a name; and whatever is as long as one.
var secrets = []*regexp.Regexp{
	regexp.MustCompile(regexp.QuoteMeta(localapi.TokenPrefix) + `[^"]*`),
	regexp.MustCompile(`(?i)token"?\s*[:=]\s*"?([^",}]*)`),
	regexp.MustCompile(`[A-Za-z0-9_-]{24,}`),
}

// excerpt returns what stands around an offset in its line, without tokens, and which
// character of that is the one at the offset.
func excerpt(text []byte, offset int) (shown string, mark int) {
	offset = min(max(offset, 0), len(text))
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	end := len(text)
	if n := bytes.IndexByte(text[offset:], '\n'); n >= 0 {
		end = offset + n
	}
	line := bytes.ToValidUTF8(bytes.TrimRight(text[start:end], "\r"), []byte("?"))
	at := min(offset-start, len(line))
	hidden := make([]bool, len(line))
	for _, secret := range secrets {
		for _, found := range secret.FindAllSubmatchIndex(line, -1) {
			for i := found[len(found)-2]; i < found[len(found)-1]; i++ {
				hidden[i] = true
			}
		}
	}
	var before, after []rune
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		switch {
		case hidden[i]:
			r = '…'
		case unicode.IsSpace(r):
			r = ' '
		case textsafe.Unshowable(r):
			r = unicode.ReplacementChar
		}
		side := &before
		if i >= at {
			side = &after
		}
		// One sign for each secret, however long that is.
		if !hidden[i] || i == 0 || !hidden[i-1] || i == at {
			*side = append(*side, r)
		}
		i += size
	}
	before, after = before[max(len(before)-excerptReach, 0):], after[:min(len(after), excerptReach)]
	lead := strings.TrimLeft(string(before), " ")
	return strings.TrimRight(lead+string(after), " "), utf8.RuneCountInString(lead)
}
