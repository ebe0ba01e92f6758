package configstore

import (
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

func TestNormalizeNickname(t *testing.T) {
	for in, want := range map[string]string{
		"Work":                           "Work",
		" \tMy graph\n":                  "My graph",
		"日本語":                            "日本語",
		"👩‍💻":                            "👩‍💻",
		strings.Repeat("x", 128):         strings.Repeat("x", 128),
		strings.Repeat("日", 128):         strings.Repeat("日", 128),
		"":                               "",
		"   ":                            "",
		"\u200b":                         "",
		"a\x00b":                         "",
		"a\x1b[31m":                      "",
		"a\u2028b":                       "",
		"a\u202eb":                       "",
		"a\xffb":                         "",
		strings.Repeat("x", 129):         "",
		"my " + tokenText(""):            "",
		"roam-graph-token-" + secretWord: "",
	} {
		got, err := NormalizeNickname(in)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("NormalizeNickname(%q) = %q, %v", in, got, err)
		}
		if err != nil {
			wantCode(t, err, CodeNicknameInvalid)
		}
	}
}

func TestSameNickname(t *testing.T) {
	for _, pair := range [][2]string{{"Work", "wORK"}, {"Straße", "STRASSE"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"}, {"caf\u00e9", "CAFE\u0301"}, {" a ", "A"}} {
		if !SameNickname(pair[0], pair[1]) {
			t.Errorf("%q and %q differ", pair[0], pair[1])
		}
	}
	for _, pair := range [][2]string{{"Work", "Works"}, {"a b", "ab"}, {"é", "e"}} {
		if SameNickname(pair[0], pair[1]) {
			t.Errorf("%q and %q are the same", pair[0], pair[1])
		}
	}
}

func TestUniqueNicknameCountsUp(t *testing.T) {
	long := strings.Repeat("é", MaxNicknameLength)
	c := Config{Entries: []Entry{{Nickname: "Work"}, {Nickname: "WORK 2"}, {Nickname: long}}}
	for in, want := range map[string]string{
		"work": "work 3", "New": "New", long: strings.Repeat("é", MaxNicknameLength-2) + " 2",
	} {
		got := c.UniqueNickname(in)
		if got != want {
			t.Errorf("UniqueNickname(%q) = %q, want %q", in, got, want)
		}
		if _, err := NormalizeNickname(got); err != nil {
			t.Error(err)
		}
	}
}

func TestANewNicknameIsPlain(t *testing.T) {
	old := Entry{Name: "old", Type: localapi.Hosted, Nickname: "R&D 100%"}
	c := Config{Entries: []Entry{old}}
	for nickname, want := range map[string]problem.Code{
		"Work": "", "My notes (2026)": "", "日本": "", "R&D 100%": CodeNicknameTaken,
		"a&b": CodeNicknameInvalid, "a|b": CodeNicknameInvalid, "a<b>": CodeNicknameInvalid, "a;b": CodeNicknameInvalid, "%PATH%": CodeNicknameInvalid, "a^": CodeNicknameInvalid,
		"a!": CodeNicknameInvalid, "Ana's": CodeNicknameInvalid, "Ana\u2019s": CodeNicknameInvalid, `a"`: CodeNicknameInvalid, "`a`": CodeNicknameInvalid, "$a": CodeNicknameInvalid, `a\`: CodeNicknameInvalid,
		"-a": CodeNicknameInvalid, "a\u00a0b": CodeNicknameInvalid, "a\u3000b": CodeNicknameInvalid, "a\u200bb": CodeNicknameInvalid, "a\u202eb": CodeNicknameInvalid,
	} {
		if err := c.CheckNewNickname(localapi.Graph{Name: "new", Type: localapi.Hosted}, nickname); problem.CodeOf(err) != want {
			t.Errorf("%q: got %v, want %q", nickname, err, want)
		}
	}
	if err := c.CheckNewNickname(old.Graph(), " R&D 100% "); err != nil {
		t.Errorf("a graph does not keep its own: %v", err)
	}
}

func TestEveryShellCanBeGivenAPlainNickname(t *testing.T) {
	for r := rune(0); r <= 0x3000; r++ {
		nickname := "a " + string(r) + "b"
		if !Plain(nickname) {
			continue
		}
		for _, shell := range []problem.Shell{problem.POSIX, problem.Bash, problem.Fish, problem.PowerShell, problem.Windows} {
			if !shell.CanQuote(nickname) || !strings.Contains(shell.Quote(nickname), nickname) {
				t.Fatalf("%U is plain, and shell %d writes %s", r, shell, shell.Quote(nickname))
			}
		}
	}
}
