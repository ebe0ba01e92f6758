package edn

import (
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/require"
)

func TestEveryKindOfValueIsRead(t *testing.T) {
	for text, want := range map[string]any{
		`nil`: nil, `true`: true, `false`: false, `42`: int64(42), `-7`: int64(-7), `+7`: int64(7), `3N`: int64(3),
		`1.5`: 1.5, `-1e3`: -1000.0, `2.50M`: Decimal("2.50"),
		`"a\"\\\n\u00e9\101"`: "a\"\\\né" + "A", `"\ud83d\ude00"`: "😀",
		`:block/uid`: Keyword(":block/uid"), `?title:name`: Symbol("?title:name"), `?p-String`: Symbol("?p-String"),
		`clojure.string/includes?`: Symbol("clojure.string/includes?"), `...`: Symbol("..."), `-differ?`: Symbol("-differ?"),
		`\a`: Char('a'), `\newline`: Char('\n'), `\u00e9`: Char('é'), `\é`: Char('é'), `\(`: Char('('),
		`[1 (2) #{3}]`:    Vector{int64(1), List{int64(2)}, Set{int64(3)}},
		`{:a 1, "b" [2]}`: &Map{Keys: []any{Keyword(":a"), "b"}, Values: []any{int64(1), Vector{int64(2)}}},
		`#inst "2020"`:    Tagged{Tag: "inst", Value: "2020"},
		`#"a\"b\d"`:       Regex(`a\"b\d`), `##Inf`: math.Inf(1),
		"[1 ; one\n #_ (2 3) 4 #_ 5]": Vector{int64(1), int64(4)},
		`#_ #_ 1 2 3`:                 int64(3), ` , 1`: int64(1),
	} {
		got, err := Parse(text, Limits{})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v; want %#v", text, got, err, want)
		}
	}
	if v, err := Parse("##NaN", Limits{}); err != nil || !math.IsNaN(v.(float64)) {
		t.Errorf("##NaN: got %v, %v", v, err)
	}
	if v, err := Parse("123456789012345678901234567890", Limits{}); err != nil || Print(v) != "123456789012345678901234567890N" {
		t.Errorf("a big number: got %v, %v", v, err)
	}
}

func TestAnErrorNamesLineAndColumn(t *testing.T) {
	for text, want := range map[string]string{
		"[1\n  }":                            "line 2, column 3: there is a '}' that nothing opens",
		`[1 2`:                               "line 1, column 4: the text ends in the middle of a value",
		`"abc`:                               "line 1, column 4: the text ends in the middle of a value",
		`"a\q"`:                              "line 1, column 4: a string can't hold the escape \\q; a backslash is written \\\\",
		`{:a}`:                               "line 1, column 4: the map has a key without a value",
		`{:a 1 :a 2}`:                        "line 1, column 11: the map has the key :a twice",
		`#{1 1}`:                             "line 1, column 6: the set has 1 twice",
		`1 2`:                                "line 1, column 3: there is text after the value",
		``:                                   "line 1, column 1: there is no value",
		`:`:                                  "line 1, column 1: “:” is no keyword",
		`1a`:                                 "line 1, column 2: “1a” is no number",
		`007`:                                "line 1, column 3: the number 007 starts with 0",
		`##Nope`:                             "line 1, column 6: ##Nope is no number; there are ##NaN, ##Inf and ##-Inf",
		"\"\xff\"":                           "line 1, column 3: the string is not valid UTF-8",
		"[[[[[[[[[[[1]]]]]]]]]]]":            "line 1, column 11: values are nested more than 10 deep",
		"#_ #_ #_ #_ #_ #_ #_ #_ #_ #_ #_ 1": "line 1, column 32: values are nested more than 10 deep",
	} {
		_, err := Parse(text, Limits{Depth: 10})
		var e *Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := Parse(strings.Repeat("1", 200), Limits{Bytes: 100}); err == nil || !strings.Contains(err.Error(), "longer than 100 bytes") {
		t.Errorf("text beyond the limit: got %v", err)
	}
	d := NewDecoder(strings.NewReader("[1 2 3] [4 5 6 7]"), Limits{Bytes: 100, ValueBytes: 8})
	if v, err := d.Read(); err != nil || Print(v) != "[1 2 3]" {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := d.Read(); err == nil || !strings.Contains(err.Error(), "a value is longer than 8 bytes") {
		t.Errorf("a value beyond the limit: got %v, %v", v, err)
	}
}

func TestWhatIsPrintedReadsBackEqual(t *testing.T) {
	for _, text := range []string{
		`[nil true -1 1.5 "a\"b" :k/w sym \a \newline #{1 2} {:a 1, :b [2]} (1 2) #tag {:x 1} #"re\d" ##Inf 12M 99999999999999999999N]`,
	} {
		v, err := Parse(text, Limits{})
		require.NoError(t, err)
		if got := Print(v); got != text {
			t.Errorf("got %s, want %s", got, text)
		}
	}
}

func TestMapsAreReadAndChangedByEqualKeys(t *testing.T) {
	v, _ := Parse(`{[:a 1] 2}`, Limits{})
	m := v.(*Map)
	if got, ok := m.Get(Vector{Keyword(":a"), int64(1)}); !ok || got != int64(2) {
		t.Errorf("Get: %v %v", got, ok)
	}
	m.Put(Vector{Keyword(":a"), int64(1)}, "new")
	m.Put("k", nil)
	if got := Print(m); got != `{"k" nil, [:a 1] "new"}` {
		t.Errorf("after Put: %s", got)
	}
}

func TestADumpIsWalkedThroughWithoutHoldingIt(t *testing.T) {
	f, err := os.Open(helpgraph.Path(t, "help.edn"))
	require.NoError(t, err)
	defer f.Close()
	d := NewDecoder(f, Limits{Bytes: 1 << 30})
	for _, want := range []string{"#datascript/DB", "{"} {
		if got, err := d.Enter(); err != nil || got != want {
			t.Fatalf("Enter: %q, %v; want %q", got, err, want)
		}
	}
	datoms := 0
	for d.More() {
		key, err := d.Read()
		require.NoError(t, err)
		if key != Keyword(":datoms") {
			if _, err := d.Read(); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := d.Enter(); err != nil {
			t.Fatal(err)
		}
		for d.More() {
			v, err := d.Read()
			if datom, ok := v.(Vector); err != nil || !ok || len(datom) < 3 {
				t.Fatalf("datom %d: %v, %v", datoms, v, err)
			}
			datoms++
		}
		require.NoError(t, d.Leave())
	}
	if err := d.Leave(); err != nil || datoms != 74832 {
		t.Errorf("%d datoms, %v", datoms, err)
	}
	if _, err := d.Read(); err != io.EOF {
		t.Errorf("after the dump: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`[:find ?e :where [?e :a #"x"] (not [?e :b _])]`, `#datascript/DB {:schema {}, :datoms [[1 :a "b" 2]]}`,
		`{:a ##NaN, #{1} \a} ; c`, `#_ 1 "\u00e9"`, `-1.5e3 2M 3N`, `[[[[`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text, Limits{Bytes: 1 << 16, Depth: 50})
		if err != nil {
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		printed := Print(v)
		again, err := Parse(printed, Limits{Depth: 60})
		if err != nil {
			t.Fatalf("%q reads as %#v and prints as %q, which gives: %v", text, v, printed, err)
		}
		if Print(again) != printed {
			t.Fatalf("%q prints as %q and then as %q", text, printed, Print(again))
		}
	})
}
