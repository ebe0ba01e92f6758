package tui

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/exchange"
	"roam-mcp/internal/clients/doctor"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// examination has the checks look at what the program finds.
func examination(h *harness) {
	h.ports.Doctor = func(context.Context) ([]doctor.Check, func()) {
		return doctor.Checks(doctor.Ports{
			Home: "/home/ada", PortFile: localapi.PortFile{Path: "/home/ada/.roam-local-api.json"}, Graphs: h.graphs, Now: h.graphs.Clock,
			Call:    func(context.Context, configstore.Entry) error { return nil },
			Program: doctor.Program{Path: "/usr/local/bin/roam-mcp", Version: "0.1.0"},
		}), func() {}
	}
}

// brokenAndOpen has a configuration that does not parse, and that others can read.
func brokenAndOpen(h *harness) {
	brokenConfig(h)
	h.store.config.Exists = true
	h.store.config.Problems = []configstore.Problem{
		{Code: configstore.CodeConfigModeOpen, Message: "Other users of this machine can read or change /home/ada/.roam-mcp.json, which holds tokens (mode 644).", Hint: problem.Say("chmod 600"), Index: -1},
	}
}

func doctorScenes() map[string]scene {
	examined := func(worlds ...world) scene {
		return in(worlds...).then(press("d"), func(h *harness) {
			h.until("the end of the checks", func() bool {
				s, ok := h.root.top().(*doctorScreen)
				return ok && s.report != nil && s.run == 0
			})
		})
	}
	return map[string]scene{
		"doctor":        examined(configured),
		"doctor-away":   examined(configured, away),
		"doctor-broken": examined(brokenAndOpen),
		"doctor-mode":   examined(brokenAndOpen).then(press("down")),
		"doctor-filter": examined(configured).then(press("/"), typed("token")),
	}
}

func examinedIn(t *testing.T, name string) *harness {
	t.Helper()
	return doctorScenes()[name](t, 100, 40)
}

func TestDoctor(t *testing.T) {
	t.Run("leads from f on the graphs to what is wrong, and mends it also where the configuration does not parse", func(t *testing.T) {
		h := newHarness(t, 100, 40, brokenAndOpen)
		for _, text := range []string{"line 4, column 7", `"graphs": [,]`, "mode 644", "f closes it"} {
			if !h.shows(text) {
				t.Fatalf("%q is not shown:\n%s", text, h.screen())
			}
		}
		h.press("f")
		h.untilShown("1 thing failed, 1 thing to be mended.")
		h.press("down")
		if !h.shows("Whoever has a token can use the graph.") {
			t.Fatalf("the mode is not told:\n%s", h.screen())
		}
		h.press("f")
		h.untilShown("is now yours alone to read")
		if got := h.store.log(); got != "fix mode" {
			t.Errorf("the store was told %q", got)
		}
		h.until("another look", func() bool { return h.shows("1 thing failed") && !h.shows("mode 644") })
	})
	t.Run("leads to the form that asks for a new token", func(t *testing.T) {
		h := examinedIn(t, "doctor")
		if !h.shows("was revoked in Roam") || !h.shows("f re-authorize") {
			t.Fatalf("the revoked token is not chosen:\n%s", h.screen())
		}
		h.press("f")
		h.untilShown("Re-authorize Old")
	})
	t.Run("never says that all is well without saying that it is the sandbox that is", func(t *testing.T) {
		h := newHarness(t, 100, 40, fresh)
		h.press("d")
		h.untilShown("All is well in the sandbox. No graph of yours is in it.")
		if h.shows("All is well.") {
			t.Errorf("got\n%s", h.screen())
		}
	})
	t.Run("opens Roam", func(t *testing.T) {
		h := examinedIn(t, "doctor-away")
		if !h.shows("Nothing answers") {
			t.Fatalf("got\n%s", h.screen())
		}
	})
	t.Run("looks again when Roam comes back", func(t *testing.T) {
		h := examinedIn(t, "doctor-away")
		polled(func(r *fakeRoam) { r.err = nil })(h)
		h.untilShown("works: full")
	})
	t.Run("looks again when the configuration changes", func(t *testing.T) {
		h := examinedIn(t, "doctor-broken")
		h.store.mu.Lock()
		h.store.loadErr, h.store.config.Problems = nil, nil
		h.store.mu.Unlock()
		h.store.events <- configstore.Event{Config: h.store.config}
		h.untilShown("All is well.")
	})
	t.Run("copies a report without names of graphs", func(t *testing.T) {
		copied := make(chan string, 1)
		h := newHarness(t, 100, 40, configured, func(h *harness) {
			h.ports.Copy = func(_ context.Context, text string) error { copied <- text; return nil }
		})
		h.press("d")
		h.untilShown("thing failed")
		h.press("y")
		h.untilShown("opied")
		if text := <-copied; !strings.Contains(text, `"check": "token"`) || strings.Contains(text, "archive-2019") || strings.Contains(text, localapi.TokenPrefix) {
			t.Errorf("copied is %s", text)
		}
	})
}

func TestTheEditor(t *testing.T) {
	at := -1
	editor := func(err error) world {
		return func(h *harness) {
			h.ports.EditConfig = func(line int) (*exec.Cmd, error) { at = line; return exec.Command("true"), err }
		}
	}
	t.Run("opens at the line that can't be understood", func(t *testing.T) {
		h := newHarness(t, 100, 40, brokenConfig, editor(nil))
		h.press("E")
		if at != 4 {
			t.Errorf("it was opened at line %d", at)
		}
	})
	t.Run("is said to be missing", func(t *testing.T) {
		h := newHarness(t, 100, 40, brokenConfig, editor(errors.New("there is no editor here")))
		h.press("E")
		h.untilShown("There is no editor here.")
	})
	t.Run("is pointed to where nothing can be connected, without the error a second time", func(t *testing.T) {
		h := newHarness(t, 100, 40, brokenConfig)
		h.press("down", "enter")
		h.untilShown("E opens it in an editor")
		if n := strings.Count(unwrapped(h.screen()), "column 7"); n != 1 {
			t.Errorf("the error is shown %d times:\n%s", n, h.screen())
		}
	})
}

func TestANoticeThatIsStaleGoes(t *testing.T) {
	h := newHarness(t, 100, 40, brokenConfig)
	h.press("enter")
	h.untilShown("E opens it in an editor")
	h.store.events <- configstore.Event{Config: configstore.Config{Version: 1}}
	h.until("the end of the notice", func() bool { return h.root.env.roster.ConfigErr == nil && !h.shows("E opens it") })
}

func TestDetailsOfAFailureAreBehindAKey(t *testing.T) {
	h := inState(exchangeScenes()[exchange.Failed])(t, 100, 40)
	if h.shows("HTTP status 500") || !h.shows("i details") {
		t.Fatalf("the details are shown unasked, or by no key:\n%s", h.screen())
	}
	h.press("i")
	h.untilShown("HTTP status 500")
	h.press("i")
	h.until("no details", func() bool { return !h.shows("HTTP status 500") })
}

// TestTheDoctorLeadsToWhereAPersonMends presses the key of a finding for each place of the
// setup program where one is mended. A token is taken over right away, at no place.
func TestTheDoctorLeadsToWhereAPersonMends(t *testing.T) {
	started := make(chan string, 1) // what was started outside of the program
	for place, test := range map[doctor.Place]struct{ name, title, sees, starts string }{
		doctor.Reauthorize: {name: "Old", title: "Re-authorize Old"},
		doctor.Connect:     {title: "Connect by name"},
		doctor.Enable:      {name: "Lab", sees: "Lab is enabled"},
		doctor.Client:      {name: "cursor", title: "Clients"},
		doctor.OpenRoam:    {starts: "Roam"},
		doctor.EditConfig:  {starts: "an editor"},
	} {
		h := newHarness(t, 100, 40, configured, func(h *harness) {
			h.ports.OpenRoam = func(context.Context, localapi.Graph) error { started <- "Roam"; return nil }
			h.ports.EditConfig = func(int) (*exec.Cmd, error) { started <- "an editor"; return exec.Command("true"), nil }
			h.ports.Doctor = func(context.Context) ([]doctor.Check, func()) {
				return []doctor.Check{{ID: "made-up", Name: "Made up", Run: func(context.Context, *doctor.Facts) []doctor.Finding {
					return []doctor.Finding{{Level: doctor.Failed, Found: "is broken", Fix: &doctor.Fix{Label: "lead there", Go: doctor.Target{Place: place, Name: test.name}}}}
				}}}, func() {}
			}
		})
		h.press("d")
		h.untilShown("f lead there")
		h.press("f")
		switch {
		case test.title != "":
			if got := h.root.top().title(); got != test.title {
				t.Errorf("the key leads to the screen %q, want %q", got, test.title)
			}
		case test.sees != "":
			h.untilShown(test.sees)
		default:
			h.until("the start of "+test.starts, func() bool {
				select {
				case got := <-started:
					return got == test.starts
				default:
					return false
				}
			})
		}
	}
}
