package configstore

import (
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

func TestCheckProposedNickname(t *testing.T) {
	c := Config{Entries: []Entry{
		{Name: "acme-notes", Type: localapi.Hosted, Nickname: "Work"}, {Name: "b", Type: localapi.Hosted, Nickname: "Paypal I"}, {Name: "c", Type: localapi.Hosted, Nickname: "Büro"},
	}}
	for nickname, want := range map[string]problem.Code{
		"Private": "", "My notes 2": "", "日本語": "", "Работа": "", "Notes, new (2026) + more": "", "été": "", "한국": "", "العمل": "", "Buro": "",
		"Notes $(touch x)": CodeNicknameInvalid, "`id`": CodeNicknameInvalid, "Ana's": CodeNicknameInvalid, `a"b`: CodeNicknameInvalid, `a\b`: CodeNicknameInvalid,
		"a\u200bb": CodeNicknameInvalid, "a\u200db": CodeNicknameInvalid, "a\u00adb": CodeNicknameInvalid, "a\U000e0041": CodeNicknameInvalid, "a\u3164b": CodeNicknameInvalid,
		"a\u2800b": CodeNicknameInvalid, "a\u202eb": CodeNicknameInvalid, "a\ufe0fb": CodeNicknameInvalid, "a\u115fb": CodeNicknameInvalid, "a\u034fb": CodeNicknameInvalid,
		"a\u2060b": CodeNicknameInvalid, "a\ufeffb": CodeNicknameInvalid, "a\u00a0b": CodeNicknameInvalid, "a\u2028b": CodeNicknameInvalid, "a\nb": CodeNicknameInvalid,
		"a & calc": CodeNicknameInvalid, "a|b": CodeNicknameInvalid, "a<b": CodeNicknameInvalid, "a>b": CodeNicknameInvalid, "a;b": CodeNicknameInvalid, "%PATH%": CodeNicknameInvalid,
		"a^b": CodeNicknameInvalid, "a!": CodeNicknameInvalid, "Ana\u2019s": CodeNicknameInvalid, "\u201ca\u201d": CodeNicknameInvalid, "1\u20e3": CodeNicknameInvalid, "-x": CodeNicknameInvalid,
		"a\U000e0100b": CodeNicknameInvalid, "a\ue000b": CodeNicknameInvalid, "": CodeNicknameInvalid,
		"work": CodeNicknameTaken, "Wоrk": CodeNicknameTaken, "Ｗork": CodeNicknameTaken, "W0rk": CodeNicknameTaken, "𝐖𝐨𝐫𝐤": CodeNicknameTaken, "W o r k": CodeNicknameTaken, "WORΚ": CodeNicknameTaken,
		"wo-rk": CodeNicknameTaken, "paypal l": CodeNicknameTaken, "PayPaI 1": CodeNicknameTaken, "раураl-l": CodeNicknameTaken, "bu\u0308ro": CodeNicknameTaken,
		"acme-notes": CodeNicknameTaken, "ACME notes": CodeNicknameTaken,
	} {
		if err := c.CheckProposedNickname(localapi.Graph{Name: "new", Type: localapi.Hosted}, nickname); problem.CodeOf(err) != want {
			t.Errorf("%q: got %v, want %q", nickname, err, want)
		}
	}
	if err := c.CheckProposedNickname(c.Entries[0].Graph(), "Wоrk"); err != nil {
		t.Errorf("it looks like its own: %v", err)
	}
}

func TestImport_doesNotKeepANicknameThatDeceives(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"acme","token":"TOKEN","nickname":"Work"}]}`)
	report, err := s.Import(t.Context(), []Entry{
		entry(t, "one", "Wоrk"), entry(t, "two", "a $(touch x)"), entry(t, "three", "a\u200bb"), entry(t, "four", "work"), entry(t, "five", "Plain"),
	})
	if err != nil || len(report.Skipped) > 0 {
		t.Fatalf("got %+v, %v", report, err)
	}
	if got := nicknames(mustLoad(t, s).Entries); got != "Work,One,Two,Three,work 2,Plain" {
		t.Errorf("they are called %s", got)
	}
	for i, former := range []string{"Wоrk", "a $(touch x)", "a\u200bb", "work", ""} {
		if report.Added[i].FormerNickname != former {
			t.Errorf("%d: the former nickname is %q", i, report.Added[i].FormerNickname)
		}
	}
}

func TestANicknameThatIsThereGoesOnWorking(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"acme","token":"TOKEN","nickname":"Ana's $notes\u200b"},{"name":"b","token":"TOKEN2","nickname":"Wоrk"},{"name":"c","token":"TOKEN3","nickname":"Work"}]}`)
	c := mustLoad(t, s)
	if len(c.Entries) != 3 || len(c.Problems) != 0 {
		t.Fatalf("got %+v", c)
	}
	if err := s.SetDisabled(t.Context(), "Ana's $notes\u200b", true); err != nil {
		t.Error(err)
	}
}
