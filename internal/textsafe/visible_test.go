package textsafe

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

const tag = `<roam uid="abcdefghi" refs="2"/>`

func TestEscape(t *testing.T) {
	none, tags := Markup{}, Markup{Tags: true}
	known := Markup{Tags: true, Previews: map[string]bool{"((abcdefghi))<ref>a <b> text</ref>": true, "((x))<ref>y</ref>": true, "((x))<ref>((y))<ref>z</ref>": true}}
	for name, tc := range map[string]struct {
		has        Markup
		text, want string
	}{
		"leaves what can be seen":                   {none, "a ‹b› é\t仕事\n`x` 👩 <b> U+202E", "a ‹b› é\t仕事\n`x` 👩 <b> U+202E"},
		"shows marks of direction":                  {none, "a\u202eb\u2066c\u200f", "a‹U+202E›b‹U+2066›c‹U+200F›"},
		"shows tags":                                {none, "x\U000e0041\U000e007f", "x‹U+E0041›‹U+E007F›"},
		"shows what has no width":                   {none, "a\u200bb\u00adc\ufeff\u2060", "a‹U+200B›b‹U+00AD›c‹U+FEFF›‹U+2060›"},
		"shows controls and other ends of lines":    {none, "a\x00\x1b[31m\r\n\u2028", "a‹U+0000›‹U+001B›[31m‹U+000D›\n‹U+2028›"},
		"shows fillers":                             {none, "\u3164\u2800", "‹U+3164›‹U+2800›"},
		"shows that a text had the form of escapes": {none, "‹U+202E› ‹U+0041› ‹U+2039›U+202E› ‹u+202e› ‹U+200b›", "‹U+2039›U+202E› ‹U+0041› ‹U+2039›U+2039›U+202E› ‹u+202e› ‹U+2039›U+200b›"},
		"leaves joined emoji":                       {none, "👩\u200d🚀 ❤\ufe0f 👩🏽\u200d❤\ufe0f\u200d👨 1\ufe0f\u20e3 🐦\u200d⬛ ☎\ufe0e", "👩\u200d🚀 ❤\ufe0f 👩🏽\u200d❤\ufe0f\u200d👨 1\ufe0f\u20e3 🐦\u200d⬛ ☎\ufe0e"},
		"leaves the three flags that have tags":     {none, "🏴" + tagged("gbsct") + " 🏴" + tagged("gbeng"), "🏴" + tagged("gbsct") + " 🏴" + tagged("gbeng")},
		"shows the tags of other flags":             {none, "🏴" + tagged("gb"), "🏴‹U+E0067›‹U+E0062›‹U+E007F›"},
		"shows what comes after a flag":             {none, "🏴" + tagged("gbsct") + "\U000e0041", "🏴" + tagged("gbsct") + "‹U+E0041›"},
		"shows what joins no emoji":                 {none, "a\u200db 👩\u200d 👩\ufe0f\ufe0f a\ufe0f", "a‹U+200D›b 👩‹U+200D› 👩\ufe0f‹U+FE0F› a‹U+FE0F›"},
		"leaves words of Persian and Hindi":         {none, "می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"},
		"shows what is doubled in such words":       {none, "می\u200c\u200cخواهم", "می‹U+200C›‹U+200C›خواهم"},
		"shows imitated tags of any spelling": {tags, `<Roam UID="x"/> <ROAM> < roam <` + "\troam </roam> <roam\n＜roam <ｒoam <𝐫oam </ REF> <ref/>",
			`‹U+003C›Roam UID="x"/> ‹U+003C›ROAM> ‹U+003C› roam ‹U+003C›` + "\troam ‹U+003C›/roam> ‹U+003C›roam\n‹U+FF1C›roam ‹U+003C›ｒoam ‹U+003C›𝐫oam ‹U+003C›/ REF> ‹U+003C›ref/>"},
		"leaves other elements":                         {tags, "<roamer> <refs> <b> a<b <\\roam", "<roamer> <refs> <b> a<b <\\roam"},
		"leaves the tags of a read":                     {tags, "# T " + tag + "\n\n- a " + tag + "\n  - b " + tag + "\n", "# T " + tag + "\n\n- a " + tag + "\n  - b " + tag + "\n"},
		"shows a tag in front of the tag":               {tags, "- a " + tag + " " + tag, "- a ‹U+003C›" + tag[1:] + " " + tag},
		"shows a tag inside a line":                     {tags, "- a " + tag + " b " + tag, "- a ‹U+003C›" + tag[1:] + " b " + tag},
		"shows a tag in front of a line that continues": {tags, "- a " + tag + "\n  b " + tag, "- a ‹U+003C›" + tag[1:] + "\n  b " + tag},
		"shows a tag where there are none":              {none, "- a " + tag, "- a ‹U+003C›" + tag[1:]},
		"leaves previews":                               {known, "((abcdefghi))<ref>a <b> text</ref> and ((x))<ref>y</ref>", "((abcdefghi))<ref>a <b> text</ref> and ((x))<ref>y</ref>"},
		"shows previews of another text or block":       {known, "((x))<ref>z</ref> ((y))<ref>y</ref>", "((x))‹U+003C›ref>z‹U+003C›/ref> ((y))‹U+003C›ref>y‹U+003C›/ref>"},
		"shows previews where none is known":            {tags, "((x))<ref>y</ref>", "((x))‹U+003C›ref>y‹U+003C›/ref>"},
		"shows previews of nothing":                     {known, "a <ref>b</ref> ((x)) <ref>y</ref>", "a ‹U+003C›ref>b‹U+003C›/ref> ((x)) ‹U+003C›ref>y‹U+003C›/ref>"},
		"shows a preview behind a preview":              {known, "((x))<ref>y</ref><ref>z</ref>", "((x))<ref>y</ref>‹U+003C›ref>z‹U+003C›/ref>"},
		"shows a preview in a preview":                  {known, "((x))<ref>((y))<ref>z</ref>", "((x))<ref>((y))‹U+003C›ref>z</ref>"},
		"shows a preview that is never closed":          {known, "((x))<ref>y\n</ref>", "((x))‹U+003C›ref>y\n‹U+003C›/ref>"},
		"leaves a preview in what only reads like one":  {known, "((u))<ref>a ((x))<ref>y</ref></ref>", "((u))‹U+003C›ref>a ((x))<ref>y</ref>‹U+003C›/ref>"},
		"leaves markup of our own texts":                {Markup{Own: true}, "end it with <roam …/>\u200b", "end it with <roam …/>‹U+200B›"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Escape(tc.text, tc.has)
			if got != tc.want {
				t.Errorf("got  %+q\nwant %+q", got, tc.want)
			}
			if back := Unescape(got); back != tc.text {
				t.Errorf("read back: %+q", back)
			}
		})
	}
}

func TestEscapeJSON(t *testing.T) {
	has := func(key string) Markup {
		if key == "markdown" {
			return Markup{Tags: true}
		}
		return Markup{}
	}
	for name, tc := range map[string]struct{ text, want string }{
		"leaves spelling and numbers":            {`{"a" : "\u0041\/é <b>", "n":1.50}`, `{"a" : "\u0041\/é <b>", "n":1.50}`},
		"shows what is spelled as an escape":     {`["\u202e\r", "\udb40\udc41", "\\u202e"]`, `["‹U+202E›‹U+000D›", "‹U+E0041›", "\\u202e"]`},
		"shows keys":                             {"{\"a\u200b\":\"<roam/>\"}", `{"a‹U+200B›":"‹U+003C›roam/>"}`},
		"leaves tags where markdown may have":    {`{"markdown":["- a <roam uid=\"x\"/>"],"string":"- a <roam uid=\"x\"/>"}`, `{"markdown":["- a <roam uid=\"x\"/>"],"string":"- a ‹U+003C›roam uid=\"x\"/>"}`},
		"shows that a text looks as an escape":   {`"‹U+202E›"`, `"‹U+2039›U+202E›"`},
		"keeps quotes and ends of lines as JSON": {`"\"\n\u200b<"`, `"\"\n‹U+200B›<"`},
	} {
		t.Run(name, func(t *testing.T) {
			got := string(EscapeJSON([]byte(tc.text), has))
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
	for sent, want := range map[string]string{
		`{"a":"‹U+202E›"}`:              "{\"a\":\"\u202e\"}",
		`{"a":"\u2039U+202E\u203a"}`:    "{\"a\":\"\u202e\"}",
		`{"a":"‹\u0055+200B›","n":1.0}`: "{\"a\":\"\u200b\",\"n\":1.0}",
		`{"a":"‹U+000A›‹U+0041›"}`:      `{"a":"‹U+000A›‹U+0041›"}`,
	} {
		if got := string(UnescapeJSON([]byte(sent))); got != want {
			t.Errorf("%s is read as %+q", sent, got)
		}
	}
}

// unseen returns the first character of a text that can't be seen, and is no part of an
// emoji or a word.
func unseen(text string) (rune, bool) {
	for i, r := range text {
		if r != '\n' && r != '\t' && Hidden(r) && !isPart(text, i, utf8.RuneLen(r)) {
			return r, true
		}
	}
	return 0, false
}

func FuzzEscape(f *testing.F) {
	for _, text := range []string{
		"", "a\u202eb", "‹U+202E›", "‹U+2039›U+202E›", "‹U+20\u200b2E›", "‹‹U+200b›", "👩\u200d🚀\u200d", "<Roam <roam/>\n- x <ref> ((a))<ref>b</ref>",
		"🏴" + tagged("gbeng") + "\U000e0041", "\xff‹U+\xff›", "< / ROAM", tag, "‹U+003C›roam>",
	} {
		f.Add(text, 0)
		f.Add(text, 1)
	}
	f.Fuzz(func(t *testing.T, text string, has int) {
		markup := []Markup{{}, {Tags: true}, {Own: true}}[max(0, has)%3]
		escaped := Escape(text, markup)
		if back := Unescape(escaped); back != text {
			t.Fatalf("%+q is written as %+q and read as %+q", text, escaped, back)
		}
		if r, found := unseen(escaped); found && utf8.ValidString(text) {
			t.Errorf("%+q is written as %+q, with %U", text, escaped, r)
		}
		if !markup.Tags && !markup.Own && strings.Contains(strings.ToLower(escaped), "<roam/>") {
			t.Errorf("%+q is written as %+q", text, escaped)
		}
		if !utf8.ValidString(text) {
			return
		}
		encoded, err := json.Marshal(map[string]string{"markdown": text})
		if err != nil {
			t.Fatal(err)
		}
		var read map[string]string
		written := EscapeJSON(encoded, func(string) Markup { return markup })
		if err := json.Unmarshal(written, &read); err != nil || read["markdown"] != escaped {
			t.Errorf("%s is written as %s: %v", encoded, written, err)
		}
		if err := json.Unmarshal(UnescapeJSON(written), &read); err != nil || read["markdown"] != text {
			t.Errorf("%s is read as %+q: %v", written, read["markdown"], err)
		}
	})
}
