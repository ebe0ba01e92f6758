package linkoracle

import (
	"strings"
	"unicode"
)

// declaresTags reports whether a text is "Tags::" with nothing behind it but tags, links
// and single words between commas (profiles/README.md, "Tags").
func declaresTags(text string) bool {
	start := tagsLine.FindString(text)
	if start == "" || strings.ContainsAny(text, "\r\n\x00") {
		return false
	}
	rest, some := text[len(start):], false
	for rest != "" || !some {
		tags, words := 0, 0
		for rest = strings.TrimLeftFunc(rest, unicode.IsSpace); rest != "" && rest[0] != ','; rest = strings.TrimLeftFunc(rest, unicode.IsSpace) {
			length, tag, ok := token(rest)
			if !ok {
				return false
			}
			switch {
			case strings.Trim(rest[:length], "#[] ") == "": // [[ ]] names nothing
			case tag:
				tags++
			default:
				words++
			}
			rest = rest[length:]
		}
		if words > 1 || words == 1 && tags > 0 {
			return false
		}
		some = some || tags+words > 0
		if rest == "" {
			return some
		}
		rest = rest[1:]
	}
	return some
}

// token returns the length of the tag or the word that a text begins with; ok is false for
// what is neither.
func token(text string) (length int, tag, ok bool) {
	bare := strings.TrimPrefix(text, "#")
	hash := len(text) - len(bare)
	if strings.HasPrefix(bare, "[[") {
		end := closing(bare)
		if end == 0 {
			return 0, false, false
		}
		title := strings.TrimSpace(bare[2 : end-2])
		return hash + end, true, bare[2:end-2] != "" && !strings.HasPrefix(title, ".rm-")
	}
	end := strings.IndexFunc(bare, func(r rune) bool { return !inTag(r) })
	if end < 0 {
		end = len(bare)
	}
	word := bare[:end]
	if hash > 0 {
		return hash + end, true, word != "" && !strings.HasPrefix(word, ".rm-")
	}
	if behind := bare[end:]; behind != "" && behind[0] != ',' && !unicode.IsSpace(rune(behind[0])) {
		return 0, false, false
	}
	return end, false, !strings.ContainsAny(word, "*:") && strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}
