package textsafe

import (
	"testing"
	"unicode"
)

func TestClasses(t *testing.T) {
	for name, tc := range map[string]struct {
		invisible, unshowable bool
		runes                 string
	}{
		"a letter, a space and a picture":       {false, false, "aé仕 \u00a0👩"},
		"a control":                             {true, true, "\x00\x1b\n\t\x7f\u0085"},
		"a separator of lines":                  {true, true, "\u2028\u2029"},
		"a mark of direction":                   {true, true, "\u202e\u2066\u2069\u200e"},
		"what has no width":                     {true, true, "\u200b\u200c\u2060\ufeff\u00ad"},
		"a tag":                                 {true, true, "\U000e0041\U000e007f"},
		"a filler":                              {true, true, "\u115f\u3164\uffa0\u2800\U000e0080"},
		"a selector of a variant":               {true, true, "\ufe00\U000e0100"},
		"a part of emoji":                       {true, false, "\u200d\ufe0e\ufe0f"},
		"what is private, or new to this build": {true, false, "\ue0b0\u0378"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, r := range tc.runes {
				if Invisible(r) != tc.invisible || Unshowable(r) != tc.unshowable {
					t.Errorf("%U is invisible: %v, unshowable: %v", r, Invisible(r), Unshowable(r))
				}
			}
		})
	}
}

func TestHiddenIsWhatItsTablesSay(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := r == '\u2800' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Zl, unicode.Zp,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		if Hidden(r) != want {
			t.Fatalf("%U is hidden: %v", r, !want)
		}
	}
}
