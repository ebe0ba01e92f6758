package sandbox

import (
	"strings"
	"testing"

	"roam-mcp/internal/problem"
)

func TestASettingIsReadAsItIsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"disabled":           "disabled=on",
		"disabled=on":        "disabled=on",
		" latency=200ms ":    "latency=200ms",
		"latency=off":        "latency=off",
		"exchange=read-only": "exchange=read-only",
		"api-version=1.2.0":  "api-version=1.2.0",
		"public=demo,other":  "public=demo,other",
		"locked":             "locked=30m",
		"build":              "build=api-0.0.9",
	} {
		got, err := parseSetting(text)
		if err != nil || got.Name+"="+got.Value != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if again, err := parseSetting(got.String()); err != nil || again != got {
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
		"exchange":                           "exchange=allow|",
		"build=early":                        "build[=api-0.0.9]",
		"api-version=2":                      "api-version=VERSION",
		"public=demo,,x y":                   "public=GRAPH",
		"public=a\nb":                        "public=GRAPH",
		"public=" + strings.Repeat("a", 600): "public=GRAPH",
	} {
		_, err := ParseSettings([]string{text})
		e, ok := problem.As(err)
		if !ok || e.Code != CodeInvalidSwitch || !strings.Contains((problem.World{}).Say(e.Hint), advice) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEachSwitchStandsInAGroupAndHasAValueToBeTurnedOnWith(t *testing.T) {
	const most = 25 // that a person reads through
	seen := map[string]bool{}
	group := ""
	for _, s := range Switches() {
		if seen[s.Name] || s.Group != group && seen[s.Group] || !strings.HasSuffix(s.Does, ".") {
			t.Errorf("%+v", s)
		}
		group = s.Group
		seen[s.Name], seen[group] = true, true
		for _, value := range s.Choices {
			if _, err := parseSetting(s.Name + "=" + value); err != nil {
				t.Errorf("%s=%s: %v", s.Name, value, err)
			}
		}
	}
	if len(Switches()) > most {
		t.Errorf("%d switches", len(Switches()))
	}
}

func TestSwitchesAreTurnedOnAndOffOneByOneOrAllAtOnce(t *testing.T) {
	s := newSwitchSet()
	changed := s.awaitChange()
	apply := func(texts ...string) {
		t.Helper()
		settings, err := ParseSettings(texts)
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(settings...)
	}
	apply("disabled", "latency=1ms", "public=a,b")
	select {
	case <-changed:
	default:
		t.Error("nobody was told")
	}
	if !s.isOn(disabled) || s.duration(latency).String() != "1ms" || !s.covers(public, "b") || s.covers(public, "c") || s.isOn(demoted) {
		t.Errorf("%v", s.List())
	}
	apply("disabled=off")
	if s.isOn(disabled) || len(s.List()) != 2 {
		t.Errorf("%v", s.List())
	}
	s.Clear()
	if len(s.List()) != 0 {
		t.Errorf("%v", s.List())
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
		if got := oldMarkdown(now); got != then {
			t.Errorf("%s: %s", now, got)
		}
	}
}

func FuzzSetting(f *testing.F) {
	for _, s := range Switches() {
		f.Add(s.Usage())
	}
	f.Add("latency=1s")
	f.Fuzz(func(t *testing.T, text string) {
		setting, err := parseSetting(text)
		if err != nil {
			return
		}
		if again, err := parseSetting(setting.String()); err != nil || again != setting {
			t.Errorf("%q: %v is read back as %v, %v", text, setting, again, err)
		}
	})
}
