package configstore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
)

func TestAMissingFileIsAnEmptyConfig(t *testing.T) {
	s := New(filepath.Join(t.TempDir(), "none.json"))
	c := mustLoad(t, s)
	if c.Exists || c.Version != 1 || len(c.Entries) != 0 || len(c.Problems) != 0 {
		t.Fatalf("got %+v", c)
	}
	if _, err := os.Stat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("loading created the file")
	}
}

func TestValidFiles(t *testing.T) {
	for name, tc := range map[string]struct{ text, nicknames string }{
		"an empty list":                    {`{"version":1,"graphs":[]}`, ""},
		"no list at all":                   {`{}`, ""},
		"no version counts as 1":           {`{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"}]}`, "A"},
		"a byte-order mark":                {"\uFEFF" + `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"}]}`, "A"},
		"spaces around a nickname":         {`{"graphs":[{"name":"a","token":" TOKEN ","nickname":"  My work "}]}`, "My work"},
		"any script in a nickname":         {`{"graphs":[{"name":"a","token":"TOKEN","nickname":"仕事 👩‍💻"}]}`, "仕事 👩‍💻"},
		"unknown fields at both levels":    {`{"theme":"x","graphs":[{"name":"a","token":"TOKEN","nickname":"A","color":1e400}]}`, "A"},
		"an unknown access level":          {`{"graphs":[{"name":"a","token":"TOKEN","nickname":"A","accessLevel":"godlike"}]}`, "A"},
		"an access level that is a number": {`{"graphs":[{"name":"a","token":"TOKEN","nickname":"A","accessLevel":7}]}`, "A"},
		"an unknown token status":          {`{"graphs":[{"name":"a","token":"TOKEN","nickname":"A","lastKnownTokenStatus":"sleepy"}]}`, "A"},
		"null where a field is optional":   {`{"graphs":[{"name":"a","type":null,"token":"TOKEN","nickname":"A","disabled":null}]}`, "A"},
	} {
		t.Run(name, func(t *testing.T) {
			c := mustLoad(t, storeWith(t, tc.text))
			if !c.Exists || nicknames(c.Entries) != tc.nicknames || len(c.Problems) != 0 {
				t.Fatalf("got %+v", c)
			}
			for _, e := range c.Entries {
				if e.AccessLevel != "" || e.LastKnownTokenStatus != "" || e.Type != localapi.Hosted || e.Token.Reveal() != tokenText("") {
					t.Fatalf("got %+v", e)
				}
			}
		})
	}
}

func TestEveryFieldIsRead(t *testing.T) {
	c := mustLoad(t, storeWith(t, `{"graphs":[{"name":"a_b-C","type":"offline","token":"TOKEN","nickname":"A",
		"accessLevel":"read-edit-own","lastKnownTokenStatus":"revoked","disabled":true,"apiVersion":"0.0.9","history":"off"}]}`))
	want := Entry{Name: "a_b-C", Type: localapi.Offline, Token: token(t, ""), Nickname: "A",
		AccessLevel: localapi.ReadEditOwn, LastKnownTokenStatus: localapi.TokenRevoked, Disabled: true, APIVersion: "0.0.9", History: Off}
	if len(c.Entries) != 1 || c.Entries[0] != want {
		t.Fatalf("got %+v", c)
	}
	if len(c.Enabled()) != 0 {
		t.Fatal("a disabled graph is listed as enabled")
	}
}

func TestFilesThatCannotBeUnderstood(t *testing.T) {
	for name, tc := range map[string]struct {
		text         string
		code         problem.Code
		line, column int
	}{
		"an empty file":                {"", CodeConfigInvalid, 1, 1},
		"nothing but space":            {" \n ", CodeConfigInvalid, 1, 1},
		"a missing comma":              {"{\n  \"version\": 1\n  \"graphs\": []\n}", CodeConfigInvalid, 3, 3},
		"a file that was cut":          {"{\n  \"graphs\": [", CodeConfigInvalid, 2, 14},
		"text after the end":           {"{}\n{}", CodeConfigInvalid, 2, 1},
		"a column counts characters":   {"{\"é日\": x}", CodeConfigInvalid, 1, 8},
		"a list at the top":            {"\n  []", CodeConfigInvalid, 2, 3},
		"a string at the top":          {`"hello"`, CodeConfigInvalid, 1, 1},
		"graphs that are no list":      {"{\n\"graphs\": {}}", CodeConfigInvalid, 2, 11},
		"graphs that are null":         {`{"graphs": null}`, CodeConfigInvalid, 1, 12},
		"a key twice":                  {"{\"graphs\": [],\n \"graphs\": []}", CodeConfigInvalid, 2, 2},
		"a key twice, once escaped":    {`{"graphs":[],"gr\u0061phs":[]}`, CodeConfigInvalid, 1, 14},
		"a version that is a string":   {`{"version":"1"}`, CodeConfigInvalid, 1, 12},
		"a version below 1":            {`{"version":0}`, CodeConfigInvalid, 1, 12},
		"a version between versions":   {`{"version":0.5}`, CodeConfigInvalid, 1, 12},
		"a version above ours":         {`{"version":2,"graphs":[]}`, CodeConfigTooNew, 1, 12},
		"a version of another shape":   {`{"version":2,"graphs":{}}`, CodeConfigTooNew, 1, 12},
		"a version beyond all numbers": {`{"version":1e999}`, CodeConfigTooNew, 1, 12},
		"UTF-16":                       {"\xFF\xFE{\x00}\x00", CodeConfigInvalid, 1, 1},
		"bytes that are not UTF-8":     {"{\n\"a\": \"\xFF\"}", CodeConfigInvalid, 2, 7},
		"a field that is too deep":     {`{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`, CodeConfigInvalid, 1, 5 + maxDepth},
		"too many graphs":              {`{"graphs":[` + strings.Repeat("1,", maxGraphs) + `1]}`, CodeConfigInvalid, 1, 11},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, tc.text)
			_, err := s.Load(t.Context())
			wantCode(t, err, tc.code)
			e, _ := problem.As(err)
			place := problem.Place{}
			if e.Place != nil {
				place = *e.Place
			}
			if place.Line != tc.line || place.Column != tc.column {
				t.Errorf("at line %d, column %d, want %d, %d: %v", place.Line, place.Column, tc.line, tc.column, err)
			}
			if place.Path != s.Path() || e.Hint.IsZero() {
				t.Errorf("incomplete: %+v", e)
			}
			wantCode(t, s.Save(t.Context(), entry(t, "new", "New")), tc.code)
			wantCode(t, s.CheckWritable(t.Context()), tc.code)
			if got := fileText(t, s.Path()); got != tc.text {
				t.Errorf("the file was overwritten with %q", got)
			}
		})
	}
}

func TestAFileTooLargeIsRefused(t *testing.T) {
	s := storeWith(t, `{"a":"`+strings.Repeat("x", maxFileSize)+`"}`)
	_, err := s.Load(t.Context())
	wantCode(t, err, CodeConfigInvalid)
}

func TestABadEntryHidesNoGoodOne(t *testing.T) {
	const good = `{"name":"good","token":"TOKEN","nickname":"Good"}`
	for name, tc := range map[string]struct {
		bad  string
		code problem.Code
	}{
		"a number":                       {`7`, CodeEntryInvalid},
		"null":                           {`null`, CodeEntryInvalid},
		"a list":                         {`[[]]`, CodeEntryInvalid},
		"an empty object":                {`{}`, CodeEntryInvalid},
		"no name":                        {`{"token":"TOKEN","nickname":"B"}`, CodeEntryInvalid},
		"a name that is no graph's":      {`{"name":"a b/c","token":"TOKEN","nickname":"B"}`, CodeEntryInvalid},
		"a name in other case":           {`{"Name":"b","token":"TOKEN","nickname":"B"}`, CodeEntryInvalid},
		"a token as the name":            {`{"name":"TOKEN","token":"TOKEN","nickname":"B"}`, CodeEntryInvalid},
		"a type nobody knows":            {`{"name":"b","type":"cloud","token":"TOKEN","nickname":"B"}`, CodeEntryInvalid},
		"a type that is a number":        {`{"name":"b","type":1,"token":"TOKEN","nickname":"B"}`, CodeEntryInvalid},
		"no token":                       {`{"name":"b","nickname":"B"}`, CodeNoToken},
		"a token that is null":           {`{"name":"b","token":null,"nickname":"B"}`, CodeNoToken},
		"an empty token":                 {`{"name":"b","token":" ","nickname":"B"}`, CodeNoToken},
		"no token and no nickname":       {`{"name":"b"}`, CodeEntryInvalid},
		"no token, a nickname taken":     {`{"name":"b","nickname":"GOOD"}`, CodeNoToken},
		"no token, the same graph again": {`{"name":"good","nickname":"B"}`, CodeNoToken},
		"a token of the cloud API":       {`{"name":"b","token":"roam-graph-token-` + secretWord + `","nickname":"B"}`, CodeEntryInvalid},
		"no nickname":                    {`{"name":"b","token":"TOKEN"}`, CodeEntryInvalid},
		"an empty nickname":              {`{"name":"b","token":"TOKEN","nickname":"  "}`, CodeEntryInvalid},
		"a nickname of two lines":        {`{"name":"b","token":"TOKEN","nickname":"B\nC"}`, CodeEntryInvalid},
		"a token as the nickname":        {`{"name":"b","token":"TOKEN","nickname":"TOKEN"}`, CodeEntryInvalid},
		"a version that is none":         {`{"name":"b","token":"TOKEN","nickname":"B","apiVersion":"latest"}`, CodeEntryInvalid},
		"a version that is a number":     {`{"name":"b","token":"TOKEN","nickname":"B","apiVersion":1.1}`, CodeEntryInvalid},
		"disabled that is not a bool":    {`{"name":"b","token":"TOKEN","nickname":"B","disabled":"yes"}`, CodeEntryInvalid},
		"a key twice":                    {`{"name":"b","name":"c","token":"TOKEN","nickname":"B"}`, CodeEntryInvalid},
		"a nickname taken in other case": {`{"name":"b","token":"TOKEN","nickname":"GOOD"}`, CodeNicknameTaken},
		"the same graph again":           {`{"name":"good","token":"TOKEN","nickname":"B"}`, CodeGraphConfigured},
		"offline beside hosted":          {`{"name":"good","type":"offline","token":"TOKEN","nickname":"B"}`, CodeGraphShadowed},
	} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, "{\"graphs\":[\n"+good+",\n"+tc.bad+",\n"+strings.ReplaceAll(strings.ReplaceAll(good, "good", "last"), "Good", "Last")+"]}")
			c := mustLoad(t, s)
			if nicknames(c.Entries) != "Good,Last" || problemCodes(c.Problems) != string(tc.code) {
				t.Fatalf("got %+v", c)
			}
			if p := c.Problems[0]; p.Index != 1 || p.Line != 3 || p.Message == "" || p.Hint.IsZero() {
				t.Fatalf("incomplete: %+v", p)
			}
			require.NoError(t, s.SetDisabled(t.Context(), "Last", true))
			if !strings.Contains(compacted(t, fileText(t, s.Path())), compacted(t, tc.bad)) {
				t.Fatalf("the bad entry did not survive a write:\n%s", fileText(t, s.Path()))
			}
		})
	}
}

func TestTheHostedGraphCountsEvenWhereItComesLater(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"a","type":"offline","token":"TOKEN","nickname":"Same"},{"name":"a","token":"TOKEN","nickname":"same"}]}`)
	c := mustLoad(t, s)
	if len(c.Entries) != 1 || c.Entries[0].Type != localapi.Hosted || problemCodes(c.Problems) != string(CodeGraphShadowed) {
		t.Fatalf("got %+v", c)
	}
	_, err := s.Remove(t.Context(), "SAME")
	require.NoError(t, err)
	if c := mustLoad(t, s); len(c.Entries) != 1 || c.Entries[0].Type != localapi.Offline || len(c.Problems) != 0 {
		t.Fatalf("the offline graph did not come back: %+v", c)
	}
}

func TestFindPrefersTheNicknameToTheName(t *testing.T) {
	c := Config{Entries: []Entry{
		{Name: "work", Nickname: "Private", Type: localapi.Hosted},
		{Name: "notes", Nickname: "Straße", Type: localapi.Hosted},
		{Name: "other", Nickname: "Work", Type: localapi.Hosted},
	}}
	for asked, want := range map[string]string{
		"WORK": "other", "work": "other", "STRASSE": "notes", " private ": "work", "notes": "notes", "Notes": "", "": "",
		"https://roamresearch.com/#/app/notes/page/x": "notes", "roam://#/offline/notes": "",
	} {
		if e, ok := c.Find(asked); e.Name != want || ok != (want != "") {
			t.Errorf("Find(%q) = %q, %v, want %q", asked, e.Name, ok, want)
		}
	}
}

func TestWhatIsNotAFileIsUnreadable(t *testing.T) {
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	for name, path := range map[string]string{"a folder": dir, "a link to itself": loop, "a file as folder": filepath.Join(storeWith(t, "{}").Path(), "x")} {
		t.Run(name, func(t *testing.T) {
			_, err := New(path).Load(t.Context())
			wantCode(t, err, CodeConfigUnreadable)
			if err := New(path).Save(t.Context(), entry(t, "a", "A")); err == nil {
				t.Fatal("saved")
			}
		})
	}
}

func TestWhatALoadGaveIsTheCallersOwn(t *testing.T) {
	s := storeWith(t, `{"graphs":[{"name":"a","token":"TOKEN","nickname":"A"},{"name":"?","token":"TOKEN","nickname":"B"}]}`)
	first := mustLoad(t, s)
	first.Entries[0].Nickname, first.Problems[0].Message = "changed", "changed"
	if second := mustLoad(t, s); second.Entries[0].Nickname != "A" || second.Problems[0].Message == "changed" {
		t.Errorf("got %+v", second)
	}
	writeFile(t, s.Path(), `{"graphs":[{"name":"a","token":"TOKEN","nickname":"C"}]}`)
	if third := mustLoad(t, s); third.Entries[0].Nickname != "C" || len(third.Problems) != 0 {
		t.Errorf("a change is not seen: %+v", third)
	}
}

func TestAnErrorShowsWhatStandsAtItsPlace(t *testing.T) {
	long := strings.Repeat("word ", 20)
	for name, tc := range map[string]struct{ text, marked string }{
		"with the fault between the brackets": {"{\n  \"version\": 1\n\t\"graphs\": []\n}", `[]"graphs": []`},
		"at the end of a file that was cut":   {"{\r\n  \"graphs\": [", `"graphs": [[]`},
		"without the value of a token":        {`{"graphs":[{"token":"short" "name":"a"}]}`, `{"graphs":[{"token":"…" []"name":"a"}]}`},
		"without a token that lost a quote":   {`{"graphs":[{"token":TOKEN, "name":"a"}]}`, `{"graphs":[{"token":[]…"name":"a"}]}`},
		"without a token that lost its key":   {`["TOKEN",x]`, `["…",[]x]`},
		"without the rest of a token":         {"{\"token\":\"roam-graph-\nlocal-token-abcdefghijklmnopqrst\"}", `{"token":"…[]`},
		"cut where the line is long":          {`{"` + long + `": x, "` + long + `": 1}`, `d word word word word word word word ": []x, "word word word word word word word w`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := storeWith(t, tc.text).Load(t.Context())
			e, ok := problem.As(err)
			if !ok {
				t.Fatalf("got %v", err)
			}
			shown := []rune(e.Place.Text)
			if got := string(shown[:e.Place.Mark]) + "[]" + string(shown[e.Place.Mark:]); got != tc.marked {
				t.Errorf("got  %s\nwant %s", got, tc.marked)
			}
		})
	}
}
