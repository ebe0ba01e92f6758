package textsafe

import (
	"strings"
	"testing"
)

func TestDataAddressesAreShortenedAndRestored(t *testing.T) {
	data := strings.Repeat("iVBORw0KGgo/+8AA", 1000) + "Jggg=="
	png := "data:image/png;base64," + data
	svg := "data:image/svg+xml;utf8,%3Csvg%20xmlns=" + strings.Repeat("%20a", 100)
	for name, tc := range map[string]struct{ text, shows string }{
		"an image":                    {"see ![x](" + png + ") there", "see ![x](data:image/png;base64,…12003 bytes "},
		"two images":                  {"![](" + png + ")![](" + svg + ")", ")![](data:image/svg+xml;utf8,…415 bytes "},
		"alone":                       {png, "data:image/png;base64,…12003 bytes "},
		"in JSON":                     {`{"text":"![x](` + png + `)"}`, `{"text":"![x](data:image/png;base64,…12003 bytes `},
		"in an element":               {`<img src="` + png + `">`, `<img src="data:image/png;base64,…12003 bytes `},
		"without a media type":        {"data:;base64," + data, "data:;base64,…12003 bytes "},
		"a short one stays":           {"![x](data:image/png;base64,iVBORw0KGgo=)", "![x](data:image/png;base64,iVBORw0KGgo=)"},
		"a word data: stays":          {"data: " + data, "data: iVBORw0K"},
		"a word in front of it stays": {"data: see ![x](" + png + ")", "data: see ![x](data:image/png;base64,…12003 bytes "},
		"what is no address stays":    {"data:image/png,\n" + data, "data:image/png,\niVBORw0K"},
		"a head within another":       {"data:xdata:image/png;base64," + data, "data:xdata:image/png;base64,…12003 bytes "},
		"a head that is none stays":   {"data:image/png;a%20b=c," + data, "data:image/png;a%20b=c,iVBORw0K"},
		"many commas stay":            {strings.Repeat("a,", 50000), "a,a,a,"},
	} {
		t.Run(name, func(t *testing.T) {
			short := ShortenData(tc.text)
			if !strings.Contains(short, tc.shows) || strings.HasSuffix(name, " stays") != (short == tc.text) && !strings.Contains(name, "in front") && !strings.HasSuffix(name, "stay") {
				t.Errorf("shows %.300s", short)
			}
			if ShortenData(short) != short {
				t.Errorf("%.300s is shortened again", short)
			}
			asked := 0
			texts := func(head string) ([]string, error) {
				asked++
				return []string{"another ![x](" + head + strings.Repeat("A", 500) + ")", tc.text}, nil
			}
			if restored, missing, err := RestoreData(short, texts); restored != tc.text || missing != "" || err != nil {
				t.Errorf("restored is %.300s, missing %q, %v", restored, missing, err)
			}
			if short == tc.text && asked > 0 {
				t.Error("texts are asked for")
			}
		})
	}
}

func TestWhatIsCutOffOrGoneIsNotRestored(t *testing.T) {
	png := "data:image/png;base64," + strings.Repeat("iVBORw0KGgo/+8AA", 1000)
	none := func(string) ([]string, error) { return []string{"![x](" + png[:5000] + ")"}, nil }
	for name, text := range map[string]string{
		"an image that no text has":    ShortenData("![x](" + png + ")"),
		"an image that is cut off":     ShortenData("![x](" + png + "... [truncated]"),
		"one of another hash":          "![x](data:image/png;base64,…12003 bytes 0123456789abcdef)",
		"one without a hash":           "![x](data:image/png;base64,…)",
		"one in JSON within JSON":      `{"x":"{\"y\":\"data:image/png;base64,\\u202612003 bytes 0123456789abcdef\"}"}`,
		"one that JSON spells so":      `"![x](data:image\/png;base64,\u202612003 bytes 0123456789abcdef)"`,
		"one whose hash was cut":       "![x](data:image/png;base64,…12003 bytes 0123456)",
		"one whose size was rewritten": "![x](data:image/png;base64,… 12,003 bytes)",
	} {
		t.Run(name, func(t *testing.T) {
			if restored, missing, err := RestoreData(text, none); restored != text || missing == "" || err != nil {
				t.Errorf("%.200s: restored is %.200s, missing %q, %v", text, restored, missing, err)
			}
		})
	}
}

func TestDataOfAddressesCountsAsItIsShown(t *testing.T) {
	png := "data:image/png;base64," + strings.Repeat("iVBORw0KGgo/+8AA", 1000)
	if short, long := CountTokens(ShortenData("see ![x]("+png+") there")), CountTokens([]byte("see ![x]("+png+") there")); short != long || long > 30 {
		t.Errorf("%d tokens, and %d", short, long)
	}
	if got := CountTokens(strings.Repeat("iVBORw0KGgo/+8AA", 1000)); got < 5000 {
		t.Errorf("data without an address has %d tokens", got)
	}
}

func TestFirstShownDoesNotCutData(t *testing.T) {
	const before, head, after = "see ![漢](", "data:image/png;base64,", ") there"
	data := strings.Repeat("A", 500)
	for n, want := range map[int]string{
		-1: "", 0: "", 3: "see", 7: "see ![漢", 12: before + head[:3], 31: before + head + data, 32: before + head + data + ")", 1000: before + head + data + after,
	} {
		if got := FirstShown(before+head+data+after, n); got != want {
			t.Errorf("%d characters: %q, want %q", n, got, want)
		}
	}
}
