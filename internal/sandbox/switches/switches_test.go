package switches

import (
	"encoding/json"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/observed"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/conformance"
	"roam-mcp/internal/testutil/require"
)

func TestASettingIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"disabled":                  "disabled=on",
		"disabled=on":               "disabled=on",
		" latency=200ms ":           "latency=200ms",
		"latency=off":               "latency=off",
		"drop":                      "drop=1",
		"drop=3":                    "drop=3",
		"reply":                     "reply=html",
		"reply=half":                "reply=half",
		"exchange=read-only":        "exchange=read-only",
		"api-version=1.2.0":         "api-version=1.2.0",
		"body-cap=64KiB":            "body-cap=64KiB",
		"fail=data.q:took too long": "fail=data.q:took too long",
		"public=demo,other":         "public=demo,other",
		"ignored=all":               "ignored=all",
		"silent=move,create":        "silent=create,move",
		"silent=error":              "silent=off",
		"error-action=400/NO_SUCH":  "error-action=400 NO_SUCH",
		"error-action=500":          "error-action=500",
		"ignored=data.undo,data.q":  "ignored=data.undo,data.q",
		"fail-done=data.undo:no":    "fail-done=data.undo:no",
		"locked":                    "locked=30m",
		"build":                     "build=early-2026",
	} {
		got, err := Parse(text)
		if err != nil || string(got.Name)+"="+got.Value != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if again, err := Parse(got.String()); err != nil || again != got {
			t.Errorf("%q is not read back: %v, %v", got, again, err)
		}
	}
}

func TestASettingThatMakesNoSenseSaysWhatWould(t *testing.T) {
	for text, advice := range map[string]string{
		"":                                   "latency",
		"lateness=3":                         "latency",
		"latency":                            "latency=DURATION",
		"latency=fast":                       "latency=DURATION",
		"latency=-1s":                        "latency=DURATION",
		"latency=2h":                         "latency=DURATION",
		"disabled=maybe":                     "disabled",
		"drop=0":                             "drop[=COUNT]",
		"reply=xml":                          "html|text",
		"exchange":                           "exchange=allow|",
		"api-version=2":                      "api-version=VERSION",
		"body-cap=much":                      "body-cap=SIZE",
		"fail=:x":                            "fail=ACTION",
		"public=demo,,x y":                   "public=GRAPH",
		"ignored=data.undo,":                 "ignored=ACTION,…",
		"ignored=a, b":                       "ignored=ACTION,…",
		"late=0s":                            "late=DURATION",
		"silent":                             "silent=FINDING,…",
		"uid-reuse=none":                     "refused|other-uid|silent",
		"error-action=404/":                  "error-action=STATUS[/CODE]",
		"fail=data.q:a\nb":                   "fail=ACTION",
		"public=" + strings.Repeat("a", 600): "public=GRAPH",
	} {
		_, err := Parse(text)
		e, ok := problem.As(err)
		if !ok || e.Code != CodeInvalid || !strings.Contains((problem.World{}).Say(e.Hint), advice) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEverySwitchOfTheCatalogCanBeFoundAndHasAValueToBeTurnedOnWith(t *testing.T) {
	seen := map[Name]bool{}
	for _, s := range Catalog() {
		if seen[s.Name] || s.Does == "" || !strings.HasSuffix(s.Does, ".") {
			t.Errorf("%+v", s)
		}
		seen[s.Name] = true
		if found, ok := Find(s.Name); !ok || found.Usage() != s.Usage() {
			t.Errorf("%s is not found", s.Name)
		}
		for _, value := range s.Choices {
			if _, err := Parse(string(s.Name) + "=" + value); err != nil {
				t.Errorf("%s=%s: %v", s.Name, value, err)
			}
		}
	}
}

func apply(t *testing.T, s *Set, texts ...string) {
	t.Helper()
	settings, err := ParseAll(texts)
	require.NoError(t, err)
	s.Apply(settings...)
}

func TestSwitchesAreTurnedOnAndOffOneByOneOrAllAtOnce(t *testing.T) {
	s := New()
	changed := s.Changed()
	apply(t, s, "disabled", "latency=1ms", "public=a,b")
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	if !s.On(Disabled) || s.Duration(Latency).String() != "1ms" || !s.Covers(Public, "b") || s.Covers(Public, "c") || s.On(Drop) {
		t.Errorf("%v", s.List())
	}
	apply(t, s, "disabled=off")
	if s.On(Disabled) || len(s.List()) != 2 {
		t.Errorf("%v", s.List())
	}
	s.Clear()
	if len(s.List()) != 0 || s.Covers(Public, "") {
		t.Errorf("%v", s.List())
	}
	apply(t, s, "build")
	if !s.On(OldWire) || !s.On(NoBatch) {
		t.Errorf("%v", s.List())
	}
	apply(t, s, "build=off")
	if len(s.List()) != 0 {
		t.Errorf("%v", s.List())
	}
}

func TestAsManyRepliesAreDroppedAsTheSwitchSays(t *testing.T) {
	s := New()
	for range 2 {
		apply(t, s, "drop=2")
		for i, want := range []bool{true, true, false} {
			if got := s.takeDrop(); got != want {
				t.Errorf("reply %d: %v", i, got)
			}
		}
	}
}

func TestARoamOfAFileIsPlayedAsItWasFound(t *testing.T) {
	profiles, err := conformance.Profiles()
	require.NoError(t, err)
	for _, profile := range profiles {
		settings, left := Observed(profile.File)
		s := New(settings...)
		for _, check := range profile.File.Checks {
			if found := s.Found(check.ID); found != check.Found && (found != "" || check.Found != check.Expected) {
				t.Errorf("%s: %s is %q, not %q", profile.Name, check.ID, found, check.Found)
			}
		}
		if len(left) > 0 {
			t.Errorf("%s: %v", profile.Name, left)
		}
	}
	for version, want := range map[string]string{"": "", localapi.APIVersion: "", "1.9.0": "1.9.0", "new": ""} {
		settings, left := Observed(observed.File{APIVersion: version})
		if got := New(settings...).Value(APIVersion); got != want || (len(left) > 0) != (version == "new") {
			t.Errorf("%s: %q, %v", version, got, left)
		}
	}
}

func TestOldMarkdownIsAsItWasBeforeJuly2026(t *testing.T) {
	for now, then := range map[string]string{
		`- a <roam uid="x"/>`:                                          `- a <roam uid="x"/>`,
		`- Section <roam uid="x" heading="2" refs="3"/>`:               `- ## Section <roam uid="x" refs="3"/>`,
		"- a <roam uid=\"x\"/>\n  - b <roam uid=\"y\" heading=\"3\"/>": "- a <roam uid=\"x\"/>\n  - ### b <roam uid=\"y\"/>",
		`- See ((abc))<ref>the text</ref> now <roam uid="x"/>`:         `- See [the text](((abc))) now <roam uid="x"/>`,
		`- __softly__ and **loudly** <roam uid="x"/>`:                  `- *softly* and **loudly** <roam uid="x"/>`,
	} {
		if got := OldMarkdown(now); got != then {
			t.Errorf("%s: %s", now, got)
		}
	}
}

func TestRepliesAreShapedWithoutLosingAnything(t *testing.T) {
	s := New()
	apply(t, s, "string-errors", "no-api-version")
	got := s.shape(requestInfo{action: "x"}, []byte(`{"success":false,"error":{"code":"C","message":"<m>"},"apiVersion":"1.1.5","more":1.50}`))
	if string(got) != `{"error":"<m>","more":1.50,"success":false}` {
		t.Errorf("%s", got)
	}
	if got := s.shape(requestInfo{}, []byte("no JSON")); string(got) != "no JSON" {
		t.Errorf("%s", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range Catalog() {
		f.Add(s.Usage())
	}
	f.Add("latency=1s")
	f.Fuzz(func(t *testing.T, text string) {
		setting, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(setting.String()); err != nil || again != setting {
			t.Errorf("%q: %v is read back as %v, %v", text, setting, again, err)
		}
	})
}

func FuzzShape(f *testing.F) {
	f.Add(`{"success":true,"result":{"markdown":"- a __b__ <roam uid=\"x\" heading=\"1\"/>","path":["a"]},"apiVersion":"1.1.5"}`)
	f.Add(`{"success":false,"error":{"message":"x"}}`)
	s := New()
	settings, err := ParseAll([]string{"build", "string-errors", "api-version=1.0.9"})
	require.NoError(f, err)
	s.Apply(settings...)
	f.Fuzz(func(t *testing.T, body string) {
		shaped := s.shape(requestInfo{action: "data.ai.getPage"}, []byte(body))
		if json.Valid([]byte(body)) && !json.Valid(shaped) {
			t.Errorf("%q: %q", body, shaped)
		}
	})
}
