package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/manage"
	"roam-mcp/tui/kit"
)

func words() Wording {
	return Wording{Version: "1", Config: func() string { return "/home/ada/.roam-mcp.json" }, Home: "/home/ada"}
}

func TestExchangeStatus(t *testing.T) {
	notes := localapi.Graph{Name: "notes", Type: localapi.Hosted}
	headlines := map[string]exchange.State{}
	for _, state := range exchangeStates() {
		t.Run("has a headline and whole sentences where it is "+state.String(), func(t *testing.T) {
			m := exchange.Machine{State: state, Request: exchange.Request{Graph: notes, AccessLevel: localapi.Full}}
			m.Err = &problem.Error{Code: localapi.CodeInternal, Message: "This is why.", Hint: problem.Say("Do that.")}
			kept := &manage.Kept{Entry: configstore.Entry{Name: "notes", Nickname: "Notes"}}
			st := words().Exchange(manage.Authorization{}, m, kept)
			if other, taken := headlines[st.Headline]; taken || len(st.Headline) < 8 {
				t.Errorf("the headline is %q, as that of %q", st.Headline, other)
			}
			headlines[st.Headline] = state
			for _, text := range st.Text {
				if text != "" && !strings.HasSuffix(text, ".") {
					t.Errorf("no sentence: %q", text)
				}
			}
			if failed := state == exchange.Failed; failed != (len(st.Details) > 0) {
				t.Errorf("the details are %q", st.Details)
			}
		})
	}
}

func TestLateGrant(t *testing.T) {
	saved := manage.Kept{Entry: configstore.Entry{Name: "notes", Nickname: "Notes"}}
	inFile, lost := saved, saved
	inFile.Err, inFile.File = errors.New("full"), "/state/one.json"
	lost.Err = &problem.Error{Message: "It is lost."}
	for name, test := range map[string]struct {
		kept manage.Kept
		want string
	}{
		"says where the token is saved":   {saved, "Roam granted notes in that moment. Saved as “Notes” in ~/.roam-mcp.json."},
		"says which file keeps the token": {inFile, "Roam granted notes in that moment, and the token could not be saved; it is kept in /state/one.json. This takes it over:\n  roam-mcp import /state/one.json"},
		"says that the token is lost":     {lost, "Roam granted notes in that moment. It is lost."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := kit.Unwrapped(words().LateGrant(test.kept)); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	bad := configstore.Problem{Code: configstore.CodeEntryInvalid, Message: "An entry is bad.", Hint: problem.Say("Mend it.")}
	open := configstore.Problem{Code: configstore.CodeConfigModeOpen, Message: "Others can read it.", Hint: problem.Say("Close it.")}
	for name, test := range map[string]struct {
		problems []configstore.Problem
		err      error
		want     []string
	}{
		"are what is wrong with entries, with what to do": {[]configstore.Problem{bad}, nil, []string{"An entry is bad. Mend it."}},
		"begin with what a key mends":                     {[]configstore.Problem{bad, open}, nil, []string{"Others can read it. f closes it.", "An entry is bad. Mend it."}},
		"are counted where there are many":                {[]configstore.Problem{bad, bad, bad, open}, nil, []string{"Others can read it. f closes it.", "An entry is bad. Mend it.", "There are 2 problems more in ~/.roam-mcp.json. To list them:\n  roam-mcp --sandbox graphs"}},
		"are one where the file can't be read":            {[]configstore.Problem{bad}, &problem.Error{Message: "It is broken.", Hint: problem.Say("Mend it.")}, []string{"It is broken. Mend it."}},
	} {
		t.Run(name, func(t *testing.T) {
			r := manage.NewRoster()
			r.SetConfig(configstore.Config{Problems: test.problems}, test.err)
			w := words()
			w.World.Flags = []string{"--sandbox"}
			got := w.Problems(r)
			for i := range got {
				got[i] = kit.Unwrapped(got[i])
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestToken(t *testing.T) {
	token, err := localapi.ParseToken(localapi.TokenPrefix + strings.Repeat("x", 25) + "p0k7")
	require.NoError(t, err)
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	entry := configstore.Entry{Name: "notes", Type: localapi.Hosted, Token: token}
	for name, test := range map[string]struct {
		info *localapi.TokenInfo
		want string
	}{
		"before Roam was asked":     {nil, "Token …p0k7."},
		"that works":                {&localapi.TokenInfo{Status: localapi.TokenActive}, "Token …p0k7, checked 20 s ago, answered in 31 ms."},
		"that Roam does not know":   {&localapi.TokenInfo{Status: localapi.TokenRevoked}, "Token …p0k7 was revoked in Roam. r asks for a new one."},
		"that could not be checked": {&localapi.TokenInfo{Status: localapi.TokenUnknown, Reason: errors.New("no answer")}, "Token …p0k7 could not be checked. No answer."},
	} {
		t.Run(name, func(t *testing.T) {
			r := manage.NewRoster()
			if test.info != nil {
				r.SetCheck(entry, manage.Check{Info: *test.info, At: now.Add(-20 * time.Second), Took: 31 * time.Millisecond})
			}
			if got := words().Token(r, entry, now); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}
